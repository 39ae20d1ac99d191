import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { Log } from '@remit/engine/ports/log'
import type {
  FindOutstandingPermits,
  NewRescue,
  Rescue,
  RescueNews,
  RescuesPort,
} from '@remit/engine/ports/rescues'
import { isoTime } from '@remit/engine/presentation/day'
import { type Selectable, sql, type Transaction } from 'kysely'
import { getAddress, type Hex, isHex } from 'viem'
import * as z from 'zod'
import type { StoreAccess } from '../access/StoreAccess.ts'
import { KeysUnavailableError, UnauthorizedError } from '../errors/access.ts'
import { MaxRescuesError, type RescueCount, RescueNotFoundError } from '../errors/rescues.ts'
import type { Identity } from '../ports/access.ts'
import type { Store } from '../store/openStore.ts'
import { SealedError, type SecretBox } from '../store/SecretBox.ts'
import type { RescuesTable, Tables } from '../store/tables.ts'
import { nextVersion, wakeEndpoints } from '../webhooks/delivering/claims.ts'
import { NO_CHAIN, newDelivery } from '../webhooks/delivering/rows.ts'
import { pageOf, readPlace } from '../webhooks/endpoints/pages.ts'
import { RescueOffered } from '../webhooks/webhookMessages.ts'

/** How many may be kept at once: of a wallet and for a provider on each chain, from an address on all. A wallet needs one a token. */
const MOST: Readonly<Record<RescueCount, number>> = { wallet: 3, provider: 1_000, address: 50 }
/** How long `outstanding` may take: a prepare waits for it. */
const FIND_MS = 2_000

type RescueRow = Selectable<RescuesTable>

interface RescuesOptions {
  readonly store: Store
  readonly access: Pick<StoreAccess, 'ask'>
  readonly box: SecretBox
  /** Keys the hash of network addresses. */
  readonly secret: string
  /** Whether providers' webhooks are told. */
  readonly webhooks: boolean
  readonly log: Log
}

/**
 * The store of rescues: ERC-20 permits that members who run short have signed and left, so that their providers may send ("carry")
 * them to the chain and be paid again. A wallet has one for each token and nonce: a later one replaces it. Signatures are sealed.
 * The provider's webhooks are told in the same transaction. `RescueSweep` deletes those that nobody can carry any more.
 */
export class Rescues {
  readonly #options: RescuesOptions

  constructor(options: RescuesOptions) {
    this.#options = options
  }

  /** A wallet's permits for a token: for a prepare that changes the same allowance. `undefined` where the store does not answer in time. */
  readonly outstanding: FindOutstandingPermits = async ({ chainId, owner, token }) => {
    const { store, access } = this.#options
    try {
      const find = store.db
        .selectFrom('rescues')
        .select(['value', 'deadline', 'nonce'])
        .where('chain_id', '=', chainId)
        .where('owner', '=', owner.toLowerCase())
        .where('token', '=', token.toLowerCase())
      const rows = await access.ask(() => find.execute(), FIND_MS)
      return rows.map(({ value, deadline, nonce }) => ({
        value: BigInt(value),
        deadline,
        nonce: BigInt(nonce),
      }))
    } catch (error) {
      // The failure is in the log already. It must not keep a wallet from approving or revoking.
      if (error instanceof KeysUnavailableError) return undefined
      throw error
    }
  }

  /** The permits as one caller may see and change them, which is decided by the wallet that its key or session belongs to. */
  of({ subject, address, id }: Pick<Identity, 'subject' | 'address' | 'id'>): RescuesPort {
    const wallet = subject?.toLowerCase()
    // Without a key, `id` is the network address too.
    const sender = createHmac('sha256', this.#options.secret)
      .update(address ?? id)
      .digest('hex')
    const { access, store } = this.#options
    return {
      keep: (rescue, news) =>
        access.ask(() => store.transaction((db) => this.#keep(db, rescue, news, sender))),
      list: (query) => access.ask(() => this.#list(query, wallet)),
      withdraw: async (chainId, rescueId) => {
        if (wallet === undefined) throw UnauthorizedError.session()
        await access.ask(() => this.#withdraw(chainId, rescueId, wallet))
      },
    }
  }

  /**
   * Keeps a permit. The same one once more changes nothing, and tells nobody.
   * @param news when and at which block it was tried, and the subscriptions that it saves
   * @param sender the keyed hash of the network address
   */
  async #keep(db: Transaction<Tables>, rescue: NewRescue, news: RescueNews, sender: string): Promise<Rescue> {
    const { store, box, webhooks } = this.#options
    // One at a time: two at once could each find room for one more below. In SQLite every transaction locks the whole file anyway.
    if (store.kind === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended('rescues', 0))`.execute(db)
    const { chainId, owner, token, provider, nonce } = rescue
    await deleteExpired(db, chainId, news.now)
    const before = await db
      .selectFrom('rescues')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('owner', '=', owner.toLowerCase())
      .where('token', '=', token.toLowerCase())
      .where('nonce', '=', nonce.toString())
      .executeTakeFirst()
    const known = before && this.#open(before)
    if (known !== undefined && isSame(known, rescue)) return known
    await refuseTooMany(db, { rescue, sender, replaced: before?.id ?? '' })
    if (before !== undefined) await db.deleteFrom('rescues').where('id', '=', before.id).execute()
    const id = `rescue_${randomUUID().replaceAll('-', '')}`
    const createdAt = Date.now()
    await db
      .insertInto('rescues')
      .values({
        id,
        chain_id: chainId,
        owner: owner.toLowerCase(),
        token: token.toLowerCase(),
        provider: provider.toLowerCase(),
        value: rescue.value.toString(),
        is_allowed: rescue.isAllowed ? 1 : 0,
        deadline: rescue.deadline,
        nonce: nonce.toString(),
        is_public: rescue.isPublic ? 1 : 0,
        signature: box.seal(rescue.signature, contextOf(id)),
        sender,
        created_at: createdAt,
        checked_at: createdAt,
        checked_block: news.blockNumber,
      })
      .execute()
    const kept = { ...rescue, id, createdAt }
    if (webhooks) await tellOffered(db, store.kind, kept, news)
    return kept
  }

  /** A page of those that the caller may see, newest first. One that cannot be opened is left out, so a page may be short. */
  async #list(query: Parameters<RescuesPort['list']>[0], wallet: string | undefined) {
    const { chainId, provider, now, after } = query
    const [createdAt, id] = readPlace(after, /^\[(\d{1,15}),"(rescue_[0-9a-f]{32})"\]$/)
    const of = provider?.toLowerCase()
    const rows = await this.#options.store.db
      .selectFrom('rescues')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('deadline', '>=', now)
      // Without a provider: the public ones. Of a provider: all, for itself; for others the public ones, and those that they signed.
      .where((row) => {
        const isPublic = row('is_public', '=', 1)
        if (of === undefined) return isPublic
        const isOfProvider = row('provider', '=', of)
        if (wallet === undefined) return row.and([isOfProvider, isPublic])
        return wallet === of
          ? isOfProvider
          : row.and([isOfProvider, row.or([isPublic, row('owner', '=', wallet)])])
      })
      .$if(after !== undefined, (found) =>
        found.where(sql<boolean>`(created_at, id) < (${Number(createdAt)}, ${id})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(query.first + 1)
      .execute()
    const placeOf = (row: RescueRow) => [row.created_at, row.id]
    const page = pageOf(rows, query, placeOf, (row) => this.#open(row))
    return { rows: page.rows.filter((row) => row !== undefined), nextCursor: page.nextCursor }
  }

  async #withdraw(chainId: number, id: string, wallet: string): Promise<void> {
    const { numDeletedRows } = await this.#options.store.transaction((db) =>
      db
        .deleteFrom('rescues')
        .where('id', '=', id)
        .where('chain_id', '=', chainId)
        .where('owner', '=', wallet)
        .executeTakeFirst(),
    )
    if (numDeletedRows === 0n) throw new RescueNotFoundError(id)
  }

  /** `undefined` where no SECRETS_KEY opens it: nobody can carry it any more. */
  #open(row: RescueRow): Rescue | undefined {
    try {
      return openRescue(row, this.#options.box)
    } catch (error) {
      if (!(error instanceof SealedError)) throw error
      this.#options.log.warn('A permit that is kept cannot be opened', { reason: error.message })
      return undefined
    }
  }
}

/** Throws SealedError where no key of the box opens its signature. */
export function openRescue(row: RescueRow, box: SecretBox): Rescue {
  return {
    id: row.id,
    chainId: row.chain_id,
    owner: getAddress(row.owner),
    token: getAddress(row.token),
    provider: getAddress(row.provider),
    value: BigInt(row.value),
    isAllowed: row.is_allowed === 1,
    deadline: row.deadline,
    nonce: BigInt(row.nonce),
    isPublic: row.is_public === 1,
    signature: hexOf(box.open(row.signature, contextOf(row.id))),
    createdAt: row.created_at,
  }
}

/** Deletes those whose deadline is over. @param now unix seconds */
async function deleteExpired(db: Transaction<Tables>, chainId: number, now: number): Promise<void> {
  await db.deleteFrom('rescues').where('chain_id', '=', chainId).where('deadline', '<', now).execute()
}

/** Throws MaxRescuesError. @param replaced the id of the permit that the new one replaces, which does not count */
async function refuseTooMany(
  db: Transaction<Tables>,
  { rescue, sender, replaced }: { rescue: NewRescue; sender: string; replaced: string },
): Promise<void> {
  const counts = [
    ['wallet', 'owner', rescue.owner.toLowerCase()],
    ['provider', 'provider', rescue.provider.toLowerCase()],
    // Of all chains together: whoever floods the service has one address for all.
    ['address', 'sender', sender],
  ] as const
  for (const [of, column, value] of counts) {
    const { count } = await db
      .selectFrom('rescues')
      .select((query) => query.fn.countAll<number>().as('count'))
      .where(column, '=', value)
      .where('id', '<>', replaced)
      .$if(of !== 'address', (found) => found.where('chain_id', '=', rescue.chainId))
      .executeTakeFirstOrThrow()
    if (Number(count) >= MOST[of]) throw new MaxRescuesError(of, MOST[of])
  }
}

function isSame(known: Rescue, rescue: NewRescue): boolean {
  return (
    known.provider === rescue.provider &&
    known.value === rescue.value &&
    known.deadline === rescue.deadline &&
    known.signature === rescue.signature &&
    known.isPublic === rescue.isPublic
  )
}

function hexOf(text: string): Hex {
  if (!isHex(text)) throw new SealedError('is no signature')
  return text
}

function contextOf(id: string): string {
  return `rescues ${id}`
}

const OFFERED: RescueOffered['type'] = 'rescue.offered'

/**
 * Writes a delivery of `rescue.offered` for each of the provider's own webhooks that ask for the type by name; others hear nothing. It is
 * no event of a chain, so it is in no log. The message has no signature, because receivers write what they get to logs of their own.
 */
async function tellOffered(
  db: Transaction<Tables>,
  kind: Store['kind'],
  rescue: Rescue,
  { subscriptionIds }: RescueNews,
): Promise<void> {
  const { id: rescueId, chainId, provider, owner, token, value, deadline, nonce, createdAt } = rescue
  const isWanted = (wish: string | null, ...facts: readonly string[]) =>
    wish === null || facts.some((fact) => fact.toLowerCase() === wish)
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'chain_id', 'provider', 'account', 'subscription_id'])
    .where('subject_id', '=', provider.toLowerCase())
    .where('types', 'like', `%"${OFFERED}"%`)
    .execute()
  const hearing = endpoints.filter(
    (one) =>
      (one.chain_id === null || one.chain_id === chainId) &&
      isWanted(one.provider, provider) &&
      isWanted(one.account, owner) &&
      isWanted(one.subscription_id, ...subscriptionIds),
  )
  const ids = hearing.map(({ id }) => id)
  // Those that were not deleted meanwhile. They are locked, and looked at by a deliverer once this transaction ends.
  const there = await wakeEndpoints(db, kind, ids)
  if (there.length === 0) return
  // A message of no chain has the count of changes (`version`) for its place. It grows with each message, so the id differs too.
  const version = await nextVersion(db)
  const id = `evt_${createHash('sha256').update(`${rescueId} ${version}`).digest('hex').slice(0, 40)}`
  const data = { rescueId, provider, owner, token, value, deadline, nonce }
  const message = z.encode(RescueOffered, {
    type: OFFERED,
    id,
    time: isoTime(Math.floor(createdAt / 1_000)),
    chainId,
    data: { ...data, subscriptions: [...subscriptionIds] },
  })
  const columns = { chain_id: NO_CHAIN, sequence: version, event_id: id, type: OFFERED }
  const row = { ...columns, queue: `rescue ${rescueId}`, body: JSON.stringify(message) }
  await db
    .insertInto('webhook_deliveries')
    .values(there.map((endpoint) => newDelivery(endpoint, row, createdAt)))
    .execute()
}
