import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { Address } from 'viem'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'
import { isOneOf, type MembershipKey } from '../step/membershipRows.ts'
import { VerdictCounts } from './VerdictCounts.ts'

const ACTIVE = 0

/** A verdict that is to be read. */
export const UNREAD_VERDICT = {
  block_number: null,
  block_timestamp: null,
  first_day: null,
  charges: null,
  trouble: null,
  trouble_day: null,
  missing_allowance: null,
  missing_balance: null,
} as const satisfies Partial<Selectable<VerdictsTable>>

/** What a step did to those who are charged. */
export interface ChangedPayers {
  /** Blocks above this one were reorganised away; `undefined` if none were. */
  readonly ancestor: number | undefined
  /** Memberships that are active now. Those of cancelled subscriptions may be among them. */
  readonly begun: readonly MembershipKey[]
  /** Memberships that were active before, each once. One that is in `begun` too begins anew. */
  readonly ended: readonly MembershipKey[]
  /** Subscriptions that were cancelled. */
  readonly cancelled: readonly string[]
  /** Subscriptions whose cancellation is gone. */
  readonly revived: readonly string[]
  /** All who are named in events and approvals, added or lost. */
  readonly subscribers: readonly string[]
}

/**
 * Keeps one verdict for each active membership of a live subscription, and makes those due that the step concerns. An
 * event of one membership concerns the payer's others too, because they share balance and allowance.
 */
export async function followStep(
  db: Transaction<Tables>,
  chainId: number,
  { ancestor, begun, ended, cancelled, revived, subscribers }: ChangedPayers,
): Promise<void> {
  const counts = new VerdictCounts()
  if (ancestor !== undefined) await forgetAbove(db, chainId, ancestor, counts)
  await forgetPayers(db, chainId, subscribers, counts)
  await inChunks(ended, async (chunk) => {
    const gone = await db
      .deleteFrom('verdicts')
      .where('chain_id', '=', chainId)
      .where(isOneOf(chunk))
      .returningAll()
      .execute()
    for (const row of gone) counts.remove(row)
  })
  await inChunks(begun, (chunk) => insertUnread(db, chainId, chunk))
  await followCancellations(db, chainId, { cancelled, revived }, counts)
  await counts.write(db, chainId)
}

/** Forgets what was read of the owners of approvals before the last of these. */
export async function forgetReadBefore(
  db: Transaction<Tables>,
  chainId: number,
  approvals: readonly { readonly owner: Address; readonly blockNumber: number }[],
): Promise<void> {
  const counts = new VerdictCounts()
  const newest = approvals.at(-1)?.blockNumber ?? 0
  const owners = approvals.map(({ owner }) => owner.toLowerCase())
  await forgetPayers(db, chainId, owners, counts, sql<boolean>`block_number < ${newest}`)
  await counts.write(db, chainId)
}

/** Forgets what was read of these payers before an event of theirs. @param only of theirs, these */
async function forgetPayers(
  db: Transaction<Tables>,
  chainId: number,
  subscribers: readonly string[],
  counts: VerdictCounts,
  only: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<void> {
  // A literal: only then does the database know that its partial index covers these rows.
  const isRead = sql<boolean>`sweep_at > ${sql.lit(0)} and ${only}`
  await inChunks(asRows(subscribers), async (chunk) => {
    const named = chunk.map(({ id }) => id)
    const known = await db
      .selectFrom('verdicts')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('subscriber', 'in', named)
      .where(isRead)
      .execute()
    if (known.length === 0) return
    for (const row of known) counts.remove(row)
    await db
      .updateTable('verdicts')
      .set({ ...UNREAD_VERDICT, sweep_at: 0 })
      .where('chain_id', '=', chainId)
      .where('subscriber', 'in', [...new Set(known.map(({ subscriber }) => subscriber))])
      .where(isRead)
      .execute()
  })
}

/** Forgets what was read at blocks that are gone. */
async function forgetAbove(
  db: Transaction<Tables>,
  chainId: number,
  ancestor: number,
  counts: VerdictCounts,
): Promise<void> {
  const gone = await db
    .selectFrom('verdicts')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('block_number', '>', ancestor)
    .execute()
  for (const row of gone) counts.remove(row)
  await db
    .updateTable('verdicts')
    .set({ ...UNREAD_VERDICT, sweep_at: 0 })
    .where('chain_id', '=', chainId)
    .where('block_number', '>', ancestor)
    .execute()
}

/** Nobody is charged for a cancelled subscription. Its payers have more left for their others. */
async function followCancellations(
  db: Transaction<Tables>,
  chainId: number,
  { cancelled, revived }: Pick<ChangedPayers, 'cancelled' | 'revived'>,
  counts: VerdictCounts,
): Promise<void> {
  const payers: string[] = []
  await inChunks(asRows([...cancelled, ...revived]), async (chunk) => {
    const ids = chunk.map(({ id }) => id)
    const gone = await db
      .deleteFrom('verdicts')
      .where('chain_id', '=', chainId)
      // By the memberships, because verdicts have no index that begins with the subscription.
      .where(
        sql<boolean>`(subscriber, subscription_id) in (
          select subscriber, subscription_id from memberships
          where chain_id = ${chainId} and status = ${sql.lit(ACTIVE)} and subscription_id in (${sql.join(ids)}))`,
      )
      .returningAll()
      .execute()
    for (const row of gone) {
      counts.remove(row)
      payers.push(row.subscriber)
    }
  })
  await inChunks(asRows(revived), async (chunk) => {
    const members = await db
      .selectFrom('memberships')
      .select(['subscriber', 'subscription_id'])
      .where('chain_id', '=', chainId)
      .where(
        'subscription_id',
        'in',
        chunk.map(({ id }) => id),
      )
      .where('status', '=', ACTIVE)
      .execute()
    await inChunks(members, (some) => insertUnread(db, chainId, some))
    for (const { subscriber } of members) payers.push(subscriber)
  })
  await forgetPayers(db, chainId, payers, counts)
}

function asRows(ids: readonly string[]): readonly { readonly id: string }[] {
  return [...new Set(ids)].map((id) => ({ id }))
}

/** Nothing for those of cancelled subscriptions. */
async function insertUnread(
  db: Transaction<Tables>,
  chainId: number,
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
      : [{ chain_id: chainId, subscriber, subscription_id, ...known, sweep_at: 0 }]
  })
  if (rows.length > 0) await db.insertInto('verdicts').values(rows).execute()
}
