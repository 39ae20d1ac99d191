import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import type { Address } from 'viem'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { isOneOf, type MembershipKey } from '../step/memberships.ts'
import { deleteFormerPlaces, nextOrderVersion, rememberLeftPlaces } from './memberPlaces.ts'
import { VerdictCounts } from './VerdictCounts.ts'

// Keeps the table `verdicts` right while steps, rollbacks and past approvals change what verdicts are about. The sweep reads verdicts
// from the chain, and `verdictStore.ts` writes them. A verdict also decides its member's place in a provider's list, so each
// change here is a version of that order (`memberPlaces.ts`): `placed_at` is the version since which a row has its place.

const { ACTIVE } = ACCOUNT_STATUS_NUMBERS

/** The columns of a row whose verdict is not read yet. Its `sweep_at` is 0, which makes it due. */
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

/** What a step or a rollback changed for payers. */
interface ChangedPayers {
  /** Memberships that are active now, and have no verdict. Those of cancelled subscriptions may be among them. */
  readonly begun: readonly MembershipKey[]
  /** Memberships that were active before, each once. One that is in `begun` too begins anew. */
  readonly ended: readonly MembershipKey[]
  /** Ids of the subscriptions that are cancelled now, and were not before. */
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

/**
 * After past approvals, which stand in the order of the chain, were written: forgets what was read of their owners at blocks before
 * the newest of them. What was read later was read with these allowances.
 */
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

/** One transaction's changes. */
interface VerdictChange {
  /** The version of the members' order that they make (`nextOrderVersion`): the `placed_at` of rows that they move. */
  readonly version: number
  /** How they change `verdict_counts`. */
  readonly counts: VerdictCounts
}

/** Forgets what was read of all memberships of these payers (lower case). @param only a further condition on their rows */
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
  // Rows that are not read yet have 0. A literal: only then does the database know that its partial index covers the others.
  const wasRead = sql<boolean>`sweep_at > ${sql.lit(0)} and ${some}`
  const known = await db
    .selectFrom('verdicts')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where(wasRead)
    .execute()
  if (known.length === 0) return
  for (const row of known) counts.remove(row)
  const moves = known.map((from) => ({ from, to: UNREAD_VERDICT }))
  await rememberLeftPlaces(db, chainId, version, moves)
  // A row without these days stands where unread ones do, and keeps its place.
  const stays = sql<boolean>`first_day is null and trouble_day is null`
  const placed_at = sql<number>`case when ${stays} then placed_at else cast(${version} as bigint) end`
  await db
    .updateTable('verdicts')
    .set({ ...UNREAD_VERDICT, sweep_at: 0, placed_at })
    .where('chain_id', '=', chainId)
    .where(wasRead)
    .execute()
}

/** Deletes the rows that a condition picks, with their former places. @returns their subscribers */
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

/** Deletes the verdicts on cancelled subscriptions. Their payers have more money left for others, so what was read of these is forgotten. */
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

/** Adds memberships with a verdict that is to be read. Those of cancelled subscriptions get no row. */
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
