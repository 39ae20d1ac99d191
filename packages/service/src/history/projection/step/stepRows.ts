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
import { blockRow, inChunks } from '../columns.ts'

/** A step's events as rows, in the order of the chain. */
export interface StepRows {
  readonly events: readonly Insertable<EventsTable>[]
  readonly detailsLogs: readonly Insertable<DetailsLogsTable>[]
  readonly profileLogs: readonly Insertable<ProfileLogsTable>[]
  readonly subscriptions: readonly Insertable<SubscriptionsTable>[]
  readonly checkedDays: readonly Insertable<CheckedDaysTable>[]
  readonly cancellations: readonly { readonly id: string; readonly blockNumber: number }[]
}

/**
 * The rows that a step adds.
 *
 * A subscription's terms come from its creation only. The contract's janitor passes them to its cleanup as it likes, and
 * the logs of a cleanup repeat provider, amount and token unchecked.
 * @throws Error if the terms of a creation are missing
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

export async function insertRows(db: Transaction<Tables>, chainId: number, rows: StepRows): Promise<void> {
  await inChunks(rows.events, (chunk) => db.insertInto('events').values(chunk).execute())
  await inChunks(rows.detailsLogs, (chunk) => db.insertInto('details_logs').values(chunk).execute())
  await inChunks(rows.profileLogs, (chunk) => db.insertInto('profile_logs').values(chunk).execute())
  await inChunks(rows.checkedDays, (chunk) => db.insertInto('checked_days').values(chunk).execute())
  await inChunks(rows.subscriptions, (chunk) => db.insertInto('subscriptions').values(chunk).execute())
  await cancel(db, chainId, rows.cancellations)
}

/** The contract cancels a subscription only once. If there were two logs, the first would count. */
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

/** Adds up changes by key, so that each key is written once. */
export class Counter {
  readonly #counts = new Map<string, number>()

  add(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys()
  }

  /** The keys whose changes do not add up to zero. */
  nonZero(): { key: string; count: number }[] {
    return [...this.#counts].filter(([, count]) => count !== 0).map(([key, count]) => ({ key, count }))
  }
}

/**
 * Changes of the stored counts: an account's events as subscriber and as provider, a token's subscriptions, a subscription's
 * subscribers.
 */
export class CountChanges {
  readonly asSubscriber = new Counter()
  readonly asProvider = new Counter()
  readonly tokens = new Counter()
  readonly subscribers = new Counter()
}

/** Adds the changes to the counts in the store. Only subscribers may become fewer. */
export async function writeCounts(
  db: Transaction<Tables>,
  chainId: number,
  { asSubscriber, asProvider, tokens, subscribers }: CountChanges,
): Promise<void> {
  const accounts = [...new Set([...asSubscriber.keys(), ...asProvider.keys()])].map((account) => ({
    chain_id: chainId,
    account,
    as_subscriber: asSubscriber.get(account),
    as_provider: asProvider.get(account),
  }))
  await addCounts(db, 'account_counts', ['chain_id', 'account'], ['as_subscriber', 'as_provider'], accounts)
  const created = tokens.nonZero().map(({ key, count }) => ({
    chain_id: chainId,
    token: key,
    subscriptions: count,
  }))
  await addCounts(db, 'token_counts', ['chain_id', 'token'], ['subscriptions'], created)
  await inChunks(subscribers.nonZero(), (chunk) => {
    const pairs = chunk.map(({ key, count }) => sql`(${key}, ${count})`)
    // Both databases name the columns of a values list column1 and column2.
    return sql`update subscriptions set subscribers = subscribers + cast(changed.column2 as bigint)
      from (values ${sql.join(pairs)}) as changed
      where chain_id = ${chainId} and id = changed.column1`.execute(db)
  })
}

/** Adds to the counts of these keys, and makes the rows that are not there yet. */
export async function addCounts<Row extends Readonly<Record<string, string | number>>>(
  db: Transaction<Tables>,
  table: keyof Tables,
  key: readonly (keyof Row & string)[],
  counts: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Promise<void> {
  const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const columns = [...key, ...counts]
  const sums = counts.map(
    (column) => sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
  )
  await inChunks(rows, (chunk) => {
    const values = chunk.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    return sql`
      insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(values)}
      on conflict (${list(key)}) do update set ${sql.join(sums)}`.execute(db)
  })
}

/** This many final blocks are kept per doubling of the distance: all of the newest 64, then every second one. */
const KEPT_PER_DOUBLING = 32

/** Stores the hashes of a step's blocks, and deletes most of those that have become final. */
export async function rememberBlocks(
  db: Transaction<Tables>,
  chainId: number,
  { to, blocks }: Pick<Step, 'to' | 'blocks'>,
  finalizedBlock: number,
): Promise<void> {
  const rows = new Map([...blocks, to].map((block) => [block.number, blockRow(chainId, block)]))
  await inChunks([...rows.values()], (chunk) =>
    db
      .insertInto('index_blocks')
      .values(chunk)
      // The last block of a step that only rolls back is stored already.
      .onConflict((row) => row.doNothing())
      .execute(),
  )
  const final = await db
    .selectFrom('index_blocks')
    .select('number')
    .where('chain_id', '=', chainId)
    .where('number', '<=', finalizedBlock)
    .orderBy('number')
    .execute()
  const forgotten = blocksToForget(
    final.map(({ number }) => number),
    Math.min(finalizedBlock, to.number),
  )
  await inChunks(forgotten, (numbers) =>
    db.deleteFrom('index_blocks').where('chain_id', '=', chainId).where('number', 'in', numbers).execute(),
  )
}

/**
 * The final blocks that can be deleted. One block of each range is kept; ranges are longer the older they are.
 *
 * So a common ancestor is known even after a reorganisation below finality, not much deeper than the reorganisation
 * itself, and the number of rows grows with the logarithm of the chain's length.
 * @param numbers in ascending order
 */
export function blocksToForget(numbers: readonly number[], newest: number): number[] {
  let lastRange = ''
  return numbers.filter((number) => {
    const distance = Math.max(1, newest - number)
    const width = Math.max(1, 2 ** Math.floor(Math.log2(distance)) / KEPT_PER_DOUBLING)
    const range = `${width}:${Math.floor(number / width)}`
    const isCovered = range === lastRange
    lastRange = range
    return isCovered
  })
}
