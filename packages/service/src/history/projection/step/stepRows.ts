import type { PlacedEvent, ScheduleTerms, Step } from '@remit/engine/ports/source'
import type { CallerLog, SubLog } from '@remit/protocol/logs/events'
import { type Insertable, sql, type Transaction } from 'kysely'
import type { Hex } from 'viem'
import type {
  CheckedDaysTable,
  DetailsLogsTable,
  EventsTable,
  ProfileLogsTable,
  SubscriptionsTable,
} from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

/** A step's events as rows of the tables, each list in the order of the chain. */
export interface StepRows {
  readonly events: readonly Insertable<EventsTable>[]
  readonly detailsLogs: readonly Insertable<DetailsLogsTable>[]
  readonly profileLogs: readonly Insertable<ProfileLogsTable>[]
  readonly subscriptions: readonly Insertable<SubscriptionsTable>[]
  /** The days that remit has finished or broken off. */
  readonly checkedDays: readonly Insertable<CheckedDaysTable>[]
  /** The subscriptions to mark as cancelled. */
  readonly cancellations: readonly { readonly id: string; readonly blockNumber: number }[]
}

/**
 * Turns a step's events into the rows that it adds; `insertRows` writes them.
 *
 * A subscription's terms come from its creation only. The caller of the contract's clean-up after a cancellation passes terms of its
 * choice, which the logs of the clean-up repeat unchecked.
 * @param terms frequency and due day of the created subscriptions, by id: the log of a creation lacks them
 * @throws Error if those of a creation are missing
 */
export function stepRows(
  chainId: number,
  { events }: Pick<Step, 'events'>,
  terms: ReadonlyMap<Hex, ScheduleTerms>,
): StepRows {
  const rows = {
    events: [] as Insertable<EventsTable>[],
    detailsLogs: [] as Insertable<DetailsLogsTable>[],
    profileLogs: [] as Insertable<ProfileLogsTable>[],
    subscriptions: [] as Insertable<SubscriptionsTable>[],
    checkedDays: [] as Insertable<CheckedDaysTable>[],
    cancellations: [] as { id: string; blockNumber: number }[],
  }
  for (const placed of events) {
    const { event } = placed
    if (event.type === 'CallerLog') {
      rows.checkedDays.push(checkedDay(chainId, placed, event))
      continue
    }
    const position = positionColumns(chainId, placed)
    const provider = event.provider.toLowerCase()
    switch (event.type) {
      case 'DetailsLog': {
        const { url, description } = event
        rows.detailsLogs.push({ ...position, provider, subscription_id: event.id, url, description })
        break
      }
      case 'ProvDetailsLog': {
        const { description, company, url, domain, email, misc } = event
        rows.profileLogs.push({ ...position, provider, description, company, url, domain, email, misc })
        break
      }
      case 'SubLog':
        rows.events.push({
          ...position,
          provider,
          subscription_id: event.id,
          event: event.subScriptEvent,
          subscriber: event.subscriber?.toLowerCase() ?? null,
          token: event.token.toLowerCase(),
          amount: event.amount.toString(),
        })
        if (event.eventName === 'Created') rows.subscriptions.push(created(chainId, placed, event, terms))
        if (event.eventName === 'Cancelled') {
          rows.cancellations.push({ id: event.id, blockNumber: placed.blockNumber })
        }
    }
  }
  return rows
}

function checkedDay(
  chainId: number,
  { blockNumber, logIndex }: PlacedEvent,
  { checkedDay, isFinished }: CallerLog,
): Insertable<CheckedDaysTable> {
  const position = { chain_id: chainId, block_number: blockNumber, log_index: logIndex }
  return { ...position, day: checkedDay, is_finished: isFinished ? 1 : 0 }
}

function positionColumns(chainId: number, { event, blockNumber, logIndex, transactionHash }: PlacedEvent) {
  return {
    chain_id: chainId,
    block_number: blockNumber,
    log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    timestamp: event.timestamp,
  }
}

function created(
  chainId: number,
  { blockNumber, logIndex, transactionHash }: PlacedEvent,
  event: SubLog,
  terms: ReadonlyMap<Hex, ScheduleTerms>,
): Insertable<SubscriptionsTable> {
  const schedule = terms.get(event.id)
  if (schedule === undefined) throw new Error(`the terms of the created subscription ${event.id} are missing`)
  return {
    chain_id: chainId,
    id: event.id,
    provider: event.provider.toLowerCase(),
    token: event.token.toLowerCase(),
    amount: event.amount.toString(),
    frequency: schedule.frequency,
    due_day: schedule.dueDay,
    created_at: event.timestamp,
    created_block: blockNumber,
    created_log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    cancelled: 0,
    cancelled_block: null,
  }
}

/** Writes the rows of `stepRows`. */
export async function insertRows(db: Transaction<Tables>, chainId: number, rows: StepRows): Promise<void> {
  await inChunks(rows.events, (chunk) => db.insertInto('events').values(chunk).execute())
  await inChunks(rows.detailsLogs, (chunk) => db.insertInto('details_logs').values(chunk).execute())
  await inChunks(rows.profileLogs, (chunk) => db.insertInto('profile_logs').values(chunk).execute())
  await inChunks(rows.checkedDays, (chunk) => db.insertInto('checked_days').values(chunk).execute())
  await inChunks(rows.subscriptions, (chunk) => db.insertInto('subscriptions').values(chunk).execute())
  await cancel(db, chainId, rows.cancellations)
}

/** Marks subscriptions as cancelled. The contract cancels each only once; if there were two logs, the first would count. */
async function cancel(
  db: Transaction<Tables>,
  chainId: number,
  cancellations: StepRows['cancellations'],
): Promise<void> {
  const first = new Map(cancellations.toReversed().map((row) => [row.id, row]))
  await inChunks([...first.values()], (chunk) => {
    const pairs = chunk.map(({ id, blockNumber }) => sql`(${id}, ${blockNumber})`)
    return (
      db
        .updateTable('subscriptions')
        // Both databases name the columns of a values list column1 and column2.
        .from(sql<{ column1: string; column2: number }>`(values ${sql.join(pairs)})`.as('given'))
        .set({ cancelled: 1, cancelled_block: sql<number>`cast(given.column2 as bigint)` })
        .where('subscriptions.chain_id', '=', chainId)
        .whereRef('subscriptions.id', '=', 'given.column1')
        .where('subscriptions.cancelled', '=', 0)
        .execute()
    )
  })
}
