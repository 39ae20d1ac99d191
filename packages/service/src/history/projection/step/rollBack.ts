import type { BlockRef } from '@remit/engine/ports/history'
import { dayNumberAt, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { noteGaps } from '../approvals.ts'
import { inChunks, tipColumns } from '../columns.ts'
import { addToDays } from '../payments/addToDays.ts'
import { deriveProviders } from '../providers.ts'
import { writeTexts } from '../search/writeTexts.ts'
import { forgetVerdicts, updateVerdicts } from '../verdicts/updateVerdicts.ts'
import { CountChanges, writeCounts } from './counts.ts'
import {
  DECISIVE_LIST,
  isDecisive,
  isOneOf,
  keysOf,
  type MembershipKey,
  writeMemberships,
} from './memberships.ts'

type Db = Transaction<Tables>
type Lost = Pick<Tables['payments'], 'subscription_id' | 'timestamp'>

/**
 * For so many blocks the hashes of replaced blocks are kept, so that a cursor that names one is refused: days on a fast chain, weeks
 * on a slow one. No caller pages through a list for that long.
 */
const REMEMBERED_LOSSES = 100_000

const { ACTIVE } = ACCOUNT_STATUS_NUMBERS

/**
 * After a reorganisation: makes every table what it was at an ancestor of the tip. First the rows of later blocks, which are lost, are
 * deleted. Then what they had a part in, such as memberships and counts, is derived again from the rows that are left. It is the
 * first part of a step's transaction (`applyStep`).
 *
 * The event log stays: `writeLog` adds retractions to it.
 */
export async function rollBack(db: Db, chainId: number, ancestor: BlockRef): Promise<void> {
  const { number } = ancestor
  const isLost = sql<boolean>`chain_id = ${chainId} and block_number > ${number}`
  const lostEvents = db.deleteFrom('events').where(isLost)
  const events = await lostEvents.returning(['subscription_id', 'subscriber', 'provider', 'event']).execute()
  const lostPayments = db.deleteFrom('payments').where(isLost)
  const payments = await lostPayments.returning(['subscription_id', 'timestamp']).execute()
  const lostApprovals = db.deleteFrom('approvals').where(isLost)
  const approvals = await lostApprovals.returning('owner as subscriber').execute()
  const lostDetails = db.deleteFrom('details_logs').where(isLost)
  const described = await lostDetails.returning('subscription_id as id').execute()
  const profiles = await db.deleteFrom('profile_logs').where(isLost).returning('provider').execute()
  const others = ['checked_days', 'unstated_tokens', 'token_checks'] as const
  for (const table of others) await db.deleteFrom(table).where(isLost).execute()
  // `cancelled in (0, 1)` excludes nothing, but the index that fits begins with this column.
  const isNew = sql<boolean>`chain_id = ${chainId} and cancelled in (0, 1) and created_block > ${number}`
  const lostSubscriptions = db.deleteFrom('subscriptions').where(isNew)
  const created = await lostSubscriptions.returning(['id', 'token', 'provider']).execute()
  const isRevived = sql<boolean>`chain_id = ${chainId} and cancelled_block > ${number}`
  const revive = db.updateTable('subscriptions').set({ cancelled: 0, cancelled_block: null })
  const revived = await revive.where(isRevived).returning('id').execute()
  await writeTexts(db, chainId, {
    subscriptions: [...created, ...revived, ...described].map(({ id }) => id),
    providers: profiles.map(({ provider }) => provider),
  })
  await loseBlocks(db, chainId, ancestor)

  const { begun, ended } = await deriveMemberships(db, chainId, keysOf(events.filter(isDecisive)))
  const ids = events.map(({ subscription_id }) => subscription_id)
  await countSubscribers(db, chainId, ids)
  const tokens = created.map(({ token }) => token)
  const owners = await deriveTokens(db, chainId, number, tokens)
  const subscribers = [...events, ...approvals].flatMap(({ subscriber }) => subscriber ?? [])
  const accounts = [...subscribers, ...owners, ...events.map(({ provider }) => provider)]
  await countAgain(db, chainId, ['account_counts', 'account'], accounts, [
    ['asProvider', 'events', 'provider'],
    ['asSubscriber', 'events', 'subscriber'],
    ['asSubscriber', 'approvals', 'owner'],
  ])
  await deriveDays(db, chainId, number, payments)
  await deriveProviders(db, chainId, [...profiles, ...created])
  // Verdicts that were read at lost blocks. Those of the payers of lost events are among them, if they are read at all: each event had
  // made its payer's verdicts unread, so they were read after it. So `subscribers` and `cancelled` below may be empty.
  await forgetVerdicts(db, chainId, sql<boolean>`block_number > ${number}`)
  // The cancellations of revived subscriptions had deleted the verdicts of their members, who get new rows.
  const charged = keysOf([...begun, ...(await activeMembers(db, chainId, revived))])
  await updateVerdicts(db, chainId, { begun: charged, ended, cancelled: [], subscribers: [] })
}

/** Moves the replaced blocks to `lost_blocks`, deletes what is old there, and moves the tip down to the ancestor. */
async function loseBlocks(db: Db, chainId: number, ancestor: BlockRef): Promise<void> {
  const { number } = ancestor
  const isLost = sql<boolean>`chain_id = ${chainId} and number > ${number}`
  await sql`insert into lost_blocks (chain_id, number, hash)
    select chain_id, number, hash from index_blocks where ${isLost} on conflict do nothing`.execute(db)
  await db.deleteFrom('index_blocks').where(isLost).execute()
  const isOld = sql<boolean>`chain_id = ${chainId} and number <= ${number - REMEMBERED_LOSSES}`
  await db.deleteFrom('lost_blocks').where(isOld).execute()
  const tip = { ...tipColumns(ancestor), finalized_block: atMost('finalized_block', number) }
  await db.updateTable('index_chains').set(tip).where('chain_id', '=', chainId).execute()
}

/**
 * Makes these memberships, which lost events changed, anew from the events that are left.
 * @returns `ended`: those that were active before the rollback; `begun`: those that are active now, some of them in both
 */
async function deriveMemberships(db: Db, chainId: number, keys: readonly MembershipKey[]) {
  const begun: MembershipKey[] = []
  const ended: MembershipKey[] = []
  await inChunks(keys, async (chunk) => {
    const gone = db.deleteFrom('memberships').where('chain_id', '=', chainId).where(isOneOf(chunk))
    const rows = await gone.returning(['subscription_id', 'subscriber', 'status']).execute()
    ended.push(...rows.filter(({ status }) => status === ACTIVE))
    const left = await db
      .selectFrom('events')
      .select(['chain_id', 'subscription_id', 'subscriber', 'event', 'block_number', 'log_index'])
      .where('chain_id', '=', chainId)
      .where(isOneOf(chunk))
      .where('event', 'in', DECISIVE_LIST)
      .orderBy('block_number')
      .orderBy('log_index')
      .execute()
    const again = await writeMemberships(db, chainId, left)
    begun.push(...again.begun)
  })
  return { begun, ended }
}

/** Counts the active members of these subscriptions again. */
async function countSubscribers(db: Db, chainId: number, ids: readonly string[]): Promise<void> {
  await inChunks([...new Set(ids)], (chunk) =>
    sql`update subscriptions set subscribers = (select count(*) from memberships as m
        where m.chain_id = ${chainId} and m.subscription_id = subscriptions.id and m.status = ${sql.lit(ACTIVE)})
      where chain_id = ${chainId} and id in (${sql.join(chunk)})`.execute(db),
  )
}

/**
 * Counts again the rows that are left for each of these keys, and writes that. A key for which none is left has no row then.
 * @param table the table of counts, with the column of its key
 * @param counted for each count: its name, the table whose rows are counted, its column for the key, and perhaps a condition on rows.
 *   Counts of one name are added up
 * @returns what was counted
 */
async function countAgain(
  db: Db,
  chainId: number,
  [table, key]: readonly [keyof Tables, string],
  keys: readonly string[],
  counted: readonly (readonly [keyof CountChanges, keyof Tables, string, RawBuilder<unknown>?])[],
): Promise<CountChanges> {
  const counts = new CountChanges()
  await inChunks([...new Set(keys)], async (chunk) => {
    const values = sql`(values ${sql.join(chunk.map((one) => sql`(${one})`))})`
    await sql`delete from ${sql.table(table)}
      where chain_id = ${chainId} and ${sql.ref(key)} in ${values}`.execute(db)
    for (const [name, from, column, only = sql`true`] of counted) {
      // A subquery for each key, not one `group by`: expecting many rows, a database might read the whole table rather than an index.
      const { rows } = await sql<{ key: string; count: number | string }>`
        select column1 as key, (select count(*) from ${sql.table(from)}
          where chain_id = ${chainId} and ${sql.ref(column)} = column1 and ${only}) as count
        from ${values} as keys`.execute(db)
      for (const { key, count } of rows) if (Number(count) > 0) counts[name].add(key, Number(count))
    }
  })
  await writeCounts(db, chainId, counts)
  return counts
}

/**
 * Counts the subscriptions in the tokens of lost ones again. A token that has none left is followed no more (`approvals.ts`), as if it
 * had never been there, and its approvals of all blocks are deleted.
 * @returns the owners of these approvals, each as often as it had some
 */
async function deriveTokens(db: Db, chainId: number, ancestor: number, tokens: readonly string[]) {
  const { tokens: left } = await countAgain(db, chainId, ['token_counts', 'token'], tokens, [
    ['tokens', 'subscriptions', 'token', sql`cancelled in (0, 1)`],
  ])
  // Of every followed token: the approvals after the ancestor are gone, and the coming steps read those of the new blocks.
  const known = { read_to: atMost('read_to', ancestor), live_from: atMost('live_from', ancestor) }
  await db.updateTable('approval_tokens').set(known).where('chain_id', '=', chainId).execute()
  const owners: string[] = []
  const lost = tokens.filter((token) => left.get(token) === 0)
  await inChunks([...new Set(lost)], async (chunk) => {
    const isLost = sql<boolean>`chain_id = ${chainId} and token in (${sql.join(chunk)})`
    await db.deleteFrom('approval_tokens').where(isLost).execute()
    const approvals = await db.deleteFrom('approvals').where(isLost).returning('owner').execute()
    for (const { owner } of approvals) owners.push(owner)
  })
  await noteGaps(db, chainId)
  return owners
}

/**
 * Makes the daily sums of the subscriptions whose payments are lost anew. They are deleted from the day of the first lost payment on.
 * The payments that are left are all of earlier blocks, so only that day can have any; these are added up again.
 */
async function deriveDays(db: Db, chainId: number, ancestor: number, lost: readonly Lost[]): Promise<void> {
  if (lost.length === 0) return
  const day = lost.reduce((first, { timestamp }) => Math.min(first, dayNumberAt(timestamp)), Infinity)
  // The newest block with a payment before that day. Payments have an index by block and none by time, so the day is read from there.
  const before = await db
    .selectFrom('payments')
    .select('block_number')
    .where(sql<boolean>`chain_id = ${chainId} and block_number <= ${ancestor}`)
    .where('timestamp', '<', day * SECONDS_PER_DAY)
    .orderBy('block_number', 'desc')
    .limit(1)
    .executeTakeFirst()
  await inChunks([...new Set(lost.map((row) => row.subscription_id))], async (chunk) => {
    const days = db.deleteFrom('payment_days').where('chain_id', '=', chainId).where('day', '>=', day)
    await days.where('subscription_id', 'in', chunk).execute()
    const left = await db
      .selectFrom('payments')
      .selectAll()
      .where(sql<boolean>`chain_id = ${chainId} and block_number > ${before?.block_number ?? 0}`)
      // An expression instead of the column: otherwise a database would walk all that a subscription was ever paid.
      .where(sql<string>`subscription_id || ''`, 'in', chunk)
      .execute()
    await addToDays(db, chainId, left)
  })
}

/** The active memberships of these subscriptions. */
async function activeMembers(db: Db, chainId: number, subscriptions: readonly { readonly id: string }[]) {
  const members: MembershipKey[] = []
  await inChunks(subscriptions, async (chunk) => {
    const ids = chunk.map(({ id }) => id)
    const active = db.selectFrom('memberships').where('chain_id', '=', chainId).where('status', '=', ACTIVE)
    const rows = active.where('subscription_id', 'in', ids).select(['subscription_id', 'subscriber'])
    for (const row of await rows.execute()) members.push(row)
  })
  return members
}

/** The lesser of a column and a block's number. */
function atMost(column: string, block: number) {
  const kept = sql<number>`cast(${block} as bigint)`
  return sql<number>`case when ${sql.ref(column)} > ${kept} then ${kept} else ${sql.ref(column)} end`
}
