import type { TokenLogs } from '@remit/engine/ports/history'
import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import { type Address, getAddress } from 'viem'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Queries, Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { VerdictStore } from '../../projection.ts'
import { inChunks } from '../columns.ts'
import { lockIndexAtBlock } from '../lockIndexAtBlock.ts'
import { isOneOf, type MembershipKey } from '../step/memberships.ts'
import { deleteFormerPlaces, nextOrderVersion, rememberLeftPlaces } from './memberPlaces.ts'
import { VerdictCounts } from './VerdictCounts.ts'

const { ACTIVE } = ACCOUNT_STATUS_NUMBERS

const UNREAD_VERDICT = {
  block_number: null,
  block_timestamp: null,
  first_day: null,
  charges: null,
  trouble: null,
  trouble_day: null,
  missing_allowance: null,
  missing_balance: null,
} as const satisfies Partial<Selectable<VerdictsTable>>

/** What a step changed for payers. */
interface ChangedPayers {
  /** Memberships that are active now, and have no verdict. Those of cancelled subscriptions may be among them. */
  readonly begun: readonly MembershipKey[]
  /** Memberships that were active before, each once. One that is in `begun` too begins anew. */
  readonly ended: readonly MembershipKey[]
  readonly cancelled: readonly string[]
  /** All whose balance or allowance may have changed: who is named in events and approvals. */
  readonly subscribers: readonly string[]
}

/**
 * Keeps one row of `verdicts` for each active membership of a live subscription, as a step or a rollback changes them. A verdict
 * says whether the membership's coming charges will be paid; the sweep reads it. What the sweep has read of a payer is forgotten,
 * and due to be read again, after any event of that payer: all its memberships share balance and allowance.
 */
export async function updateVerdicts(
  db: Transaction<Tables>,
  chainId: number,
  { begun, ended, cancelled, subscribers }: ChangedPayers,
): Promise<void> {
  if ([begun, ended, cancelled, subscribers].every(({ length }) => length === 0)) return
  const counts = new VerdictCounts()
  const version = await nextOrderVersion(db, chainId)
  await forgetPayers(db, chainId, { version, counts }, subscribers)
  await inChunks(ended, (chunk) => deleteVerdicts(db, chainId, isOneOf(chunk), counts))
  await inChunks(begun, (chunk) => insertUnread(db, chainId, version, chunk))
  await followCancellations(db, chainId, { version, counts }, cancelled)
  await counts.write(db, chainId)
}

/** After past approvals were written: forgets what was read of their owners at blocks before the newest of them. */
export async function forgetVerdictsBefore(
  db: Transaction<Tables>,
  chainId: number,
  approvals: readonly { readonly owner: Address; readonly blockNumber: number }[],
): Promise<void> {
  const change = { version: await nextOrderVersion(db, chainId), counts: new VerdictCounts() }
  const newest = approvals.at(-1)?.blockNumber ?? 0
  const owners = approvals.map(({ owner }) => owner.toLowerCase())
  await forgetPayers(db, chainId, change, owners, sql<boolean>`block_number < ${newest}`)
  await change.counts.write(db, chainId)
}

/** Forgets what was read of the rows of `verdicts` that a condition picks, and makes them due. */
export async function forgetVerdicts(
  db: Transaction<Tables>,
  chainId: number,
  some: RawBuilder<boolean>,
): Promise<void> {
  const change = { version: await nextOrderVersion(db, chainId), counts: new VerdictCounts() }
  await forget(db, chainId, change, some)
  await change.counts.write(db, chainId)
}

/** One transaction's changes: the version of the members' order that they make, and what they add up to. */
interface VerdictChange {
  readonly version: number
  readonly counts: VerdictCounts
}

/** Forgets what was read of all memberships of these payers. @param only a further condition on their rows */
async function forgetPayers(
  db: Transaction<Tables>,
  chainId: number,
  change: VerdictChange,
  subscribers: readonly string[],
  only: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<void> {
  await inChunks([...new Set(subscribers)], (chunk) =>
    forget(db, chainId, change, sql<boolean>`subscriber in (${sql.join(chunk)}) and ${only}`),
  )
}

async function forget(
  db: Transaction<Tables>,
  chainId: number,
  { version, counts }: VerdictChange,
  some: RawBuilder<boolean>,
): Promise<void> {
  // Those not read yet have 0. A literal: only then does the database know that its partial index covers these rows.
  const read = sql<boolean>`sweep_at > ${sql.lit(0)} and ${some}`
  const known = await db
    .selectFrom('verdicts')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where(read)
    .execute()
  if (known.length === 0) return
  for (const row of known) counts.remove(row)
  const moves = known.map((from) => ({ from, to: UNREAD_VERDICT }))
  await rememberLeftPlaces(db, chainId, version, moves)
  const stays = sql<boolean>`first_day is null and trouble_day is null`
  const placed_at = sql<number>`case when ${stays} then placed_at else cast(${version} as bigint) end`
  await db
    .updateTable('verdicts')
    .set({ ...UNREAD_VERDICT, sweep_at: 0, placed_at })
    .where('chain_id', '=', chainId)
    .where(read)
    .execute()
}

/** @returns the subscribers whose they were */
async function deleteVerdicts(
  db: Transaction<Tables>,
  chainId: number,
  some: RawBuilder<SqlBool>,
  counts: VerdictCounts,
): Promise<readonly string[]> {
  const gone = await db
    .deleteFrom('verdicts')
    .where('chain_id', '=', chainId)
    .where(some)
    .returningAll()
    .execute()
  for (const row of gone) counts.remove(row)
  await deleteFormerPlaces(db, chainId, some)
  return gone.map(({ subscriber }) => subscriber)
}

/** Nobody is charged for a cancelled subscription. Its payers have more left for their others. */
async function followCancellations(
  db: Transaction<Tables>,
  chainId: number,
  change: VerdictChange,
  cancelled: readonly string[],
): Promise<void> {
  const payers: string[] = []
  await inChunks([...new Set(cancelled)], async (ids) => {
    // By the memberships, because verdicts have no index that begins with the subscription.
    const theirs = sql<boolean>`(subscriber, subscription_id) in (
      select subscriber, subscription_id from memberships
      where chain_id = ${chainId} and status = ${sql.lit(ACTIVE)} and subscription_id in (${sql.join(ids)}))`
    payers.push(...(await deleteVerdicts(db, chainId, theirs, change.counts)))
  })
  await forgetPayers(db, chainId, change, payers)
}

/** Adds memberships whose verdict is to be read. Those of cancelled subscriptions get no row. */
async function insertUnread(
  db: Transaction<Tables>,
  chainId: number,
  version: number,
  members: readonly MembershipKey[],
): Promise<void> {
  const live = await db
    .selectFrom('subscriptions')
    .select(['id', 'provider', 'token', 'frequency', 'due_day'])
    .where('chain_id', '=', chainId)
    .where('id', 'in', [...new Set(members.map(({ subscription_id }) => subscription_id))])
    .where('cancelled', '=', 0)
    .execute()
  const terms = new Map(live.map(({ id, ...rest }) => [id, rest]))
  const rows = members.flatMap(({ subscriber, subscription_id }) => {
    const known = terms.get(subscription_id)
    return known === undefined
      ? []
      : [{ chain_id: chainId, subscriber, subscription_id, ...known, sweep_at: 0, placed_at: version }]
  })
  if (rows.length > 0) await db.insertInto('verdicts').values(rows).execute()
}

/**
 * The part of `VerdictStore` about tokens: which of them the sweep is to try, and what it found, namely whether a transfer changed
 * balances by another amount than its log stated. One that was never tried is due; one that differed once is known for good.
 */
export function tokenChecks(store: Store): Pick<VerdictStore, 'tokensToCheck' | 'writeTokenChecks'> {
  return {
    async tokensToCheck(chainId, tokens, since) {
      const known = await readChecks(store.db, chainId, tokens)
      return tokens.filter((token) => {
        const check = known.get(getAddress(token))
        return check === undefined || (check.differs === 0 && check.block_timestamp < since)
      })
    },

    async writeTokenChecks(lease, block, checks) {
      if (checks.length === 0) return
      const rows = checks.map(({ token, differs }) => ({
        chain_id: lease.chainId,
        token: token.toLowerCase(),
        block_number: block.number,
        block_timestamp: block.timestamp,
        differs: differs ? 1 : 0,
      }))
      await store.transaction(async (db) => {
        if ((await lockIndexAtBlock(db, lease, block)) === undefined) return
        await db
          .insertInto('token_checks')
          .values(rows)
          .onConflict((row) =>
            row
              .columns(['chain_id', 'token'])
              .doUpdateSet((set) => ({
                block_number: set.ref('excluded.block_number'),
                block_timestamp: set.ref('excluded.block_timestamp'),
                differs: set.ref('excluded.differs'),
              }))
              // What was paid while it differed stays so, whatever the token does now.
              .where('token_checks.differs', '=', 0),
          )
          .execute()
      })
    },
  }
}

/** Whether the logs of these tokens can be trusted as to amounts, in their order. */
export async function readTokenLogs(
  db: Queries,
  chainId: number,
  tokens: readonly Address[],
): Promise<readonly TokenLogs[]> {
  if (tokens.length === 0) return []
  const checks = await readChecks(db, chainId, tokens)
  const unstated = await db
    .selectFrom('unstated_tokens')
    .select('token')
    .where('chain_id', '=', chainId)
    .where('token', 'in', tokens.map(lower))
    .execute()
  const loggedOther = new Set(unstated.map(({ token }) => getAddress(token)))
  return tokens.map((token) => {
    const check = checks.get(getAddress(token))
    return {
      token,
      loggedOther: loggedOther.has(getAddress(token)),
      check: check === undefined ? null : { differs: check.differs === 1, blockNumber: check.block_number },
    }
  })
}

async function readChecks(db: Queries, chainId: number, tokens: readonly Address[]) {
  if (tokens.length === 0) return new Map<Address, never>()
  const rows = await db
    .selectFrom('token_checks')
    .select(['token', 'block_number', 'block_timestamp', 'differs'])
    .where('chain_id', '=', chainId)
    .where('token', 'in', tokens.map(lower))
    .execute()
  return new Map(rows.map((row) => [getAddress(row.token), row]))
}

function lower(address: Address): string {
  return address.toLowerCase()
}
