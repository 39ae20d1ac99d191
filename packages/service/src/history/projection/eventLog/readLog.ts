import {
  CONFIRMED_BLOCKS,
  EVENT_FACTS,
  EVENT_TYPES,
  type EventFilters,
  type EventPage,
  type EventQuery,
  FINALITIES,
  type Finality,
  finalityAt,
  type LoggedEvent,
  type LogState,
} from '@remit/engine/ports/events'
import type { Selectable } from 'kysely'
import { getAddress } from 'viem'
import type { EventLogTable, IndexChainsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { toHex } from '../columns.ts'
import { typeNumber } from './writeLog.ts'

// Pages of a chain's event log, as event streams, webhooks and the API read them. A reader says how sure events must be (`finality`:
// `seen`, `confirmed` by some blocks after theirs, or `final`). The log is given up to the first event that is less sure. That one holds
// back all after it: a reader goes on from a sequence, and would never see an event that was left out before it.

/** Rows of the log that one page looks through. A page with few matches ends before it is full, and says where to go on. */
const MOST_LOOKED_AT = 5_000

type Row = Selectable<EventLogTable>

/** How far the log and the index are; `undefined` while the store has no row of the chain. */
export async function readLogState(db: Queries, chainId: number): Promise<LogState | undefined> {
  const row = await db
    .selectFrom('index_chains')
    .select(['log_sequence', 'block_number', 'finalized_block'])
    .where('chain_id', '=', chainId)
    .executeTakeFirst()
  return row && stateOf(row)
}

function stateOf(
  row: Pick<Selectable<IndexChainsTable>, 'log_sequence' | 'block_number' | 'finalized_block'>,
): LogState {
  return {
    sequence: row.log_sequence,
    blockNumber: row.block_number,
    finalizedBlock: row.finalized_block,
  }
}

/**
 * One page of a chain's log: `first` events at most, with sequences above `after`. It looks at MOST_LOOKED_AT rows at most, so it may be
 * empty though more follow; `next` says up to where it looked. @param state as read in the same snapshot
 */
export async function readLog(
  db: Queries,
  chainId: number,
  state: LogState,
  { after, first, filters, finality }: EventQuery,
): Promise<EventPage> {
  const from = Math.min(after, state.sequence)
  const unsure = await firstUnsure(db, chainId, state, from, finality)
  const lastSure = unsure === undefined ? state.sequence : unsure - 1
  const lookLimit = await lookUpTo(db, chainId, from, filters)
  const last = Math.min(lastSure, lookLimit ?? lastSure)
  const rows = await chosen(db, chainId, filters, finality)
    .where('sequence', '>', from)
    .where('sequence', '<=', last)
    .orderBy('sequence')
    .limit(first + 1)
    .execute()
  const page = rows.slice(0, first)
  const isFull = rows.length > first
  const next = isFull ? (page.at(-1)?.sequence ?? last) : last
  const events = page.map((row) => toLogged(chainId, row, state))
  return {
    events: events.filter((event) => concernsReader(event, filters.types, finality)),
    next: Math.max(after, next),
    hasMore: isFull || last < lastSure,
  }
}

/** The sequence of the last event that can be given: the one before the first that is not sure enough. 0 for an empty log. */
export async function readLogEnd(
  db: Queries,
  chainId: number,
  state: LogState,
  finality: Finality,
): Promise<number> {
  const unsure = await firstUnsure(db, chainId, state, 0, finality)
  return unsure === undefined ? state.sequence : unsure - 1
}

/** The sequence of the first event, after a given one, that is not sure enough; `undefined` where all are. */
async function firstUnsure(
  db: Queries,
  chainId: number,
  { blockNumber, finalizedBlock }: LogState,
  after: number,
  finality: Finality,
): Promise<number | undefined> {
  if (finality === 'seen') return undefined
  const confirmed = Math.max(finalizedBlock, blockNumber - CONFIRMED_BLOCKS)
  const row = await db
    .selectFrom('event_log')
    .select((found) => found.fn.min<number | null>('sequence').as('sequence'))
    .where('chain_id', '=', chainId)
    .where('block_number', '>', finality === 'final' ? finalizedBlock : confirmed)
    .where('sequence', '>', after)
    .where('retracted_by', 'is', null)
    .executeTakeFirst()
  return row?.sequence ?? undefined
}

/** The sequence at which a page ends at the latest, so that it looks at MOST_LOOKED_AT rows; `undefined` where fewer are left. */
async function lookUpTo(
  db: Queries,
  chainId: number,
  after: number,
  filters: EventFilters,
): Promise<number | undefined> {
  let query = db.selectFrom('event_log').select('sequence').where('chain_id', '=', chainId)
  // The first filter has an index that tells the place at once. The others are applied to the rows that it finds.
  const [subject] = subjectsOf(filters)
  if (subject !== undefined) query = query.where(subject.column, '=', subject.value)
  const row = await query
    .where('sequence', '>', after)
    .orderBy('sequence')
    .offset(MOST_LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.sequence
}

function chosen(db: Queries, chainId: number, filters: EventFilters, finality: Finality) {
  let query = db.selectFrom('event_log').selectAll().where('chain_id', '=', chainId)
  for (const { column, value } of subjectsOf(filters)) query = query.where(column, '=', value)
  if (filters.types !== undefined) {
    query = query.where('type', 'in', [...filters.types, 'retracted' as const].map(typeNumber))
  }
  // Readers who wait for finality are no longer given an event once it is retracted.
  return finality === 'seen' ? query : query.where('retracted_by', 'is', null)
}

/** The columns that filters are about, the narrowest first. */
function subjectsOf({ account, subscriptionId, provider }: EventFilters) {
  const subjects = [
    { column: 'account', value: account?.toLowerCase() },
    { column: 'subscription_id', value: subscriptionId?.toLowerCase() },
    { column: 'provider', value: provider?.toLowerCase() },
  ] as const
  return subjects.flatMap(({ column, value }) => (value === undefined ? [] : [{ column, value }]))
}

/** False for a retraction of events none of which the reader can have been given. */
function concernsReader(event: LoggedEvent, types: EventFilters['types'], finality: Finality): boolean {
  if (event.type !== 'retracted') return true
  if (types?.includes('retracted')) return true
  const { facts } = event
  const isType = types === undefined || facts.types.some((type) => types.includes(type))
  return isType && FINALITIES.indexOf(facts.reached) >= FINALITIES.indexOf(finality)
}

/** Throws if the row is not what a release of this schema wrote. */
function toLogged(chainId: number, row: Row, state: LogState): LoggedEvent {
  const type = EVENT_TYPES[row.type]
  if (type === undefined) throw new Error(`event ${row.id} has a type that this release does not know`)
  const address = (text: string | null) => (text === null ? null : getAddress(text))
  const fields = {
    id: row.id,
    chainId,
    sequence: row.sequence,
    block: { number: row.block_number, hash: toHex(row.block_hash), timestamp: row.timestamp },
    logIndex: row.log_index,
    transactionHash: row.transaction_hash === null ? null : toHex(row.transaction_hash),
    // A retracted event is on no branch that counts, however many blocks have followed since.
    finality: row.retracted_by === null ? finalityAt(row.block_number, state) : 'seen',
    subject: {
      subscriptionId: row.subscription_id === null ? null : toHex(row.subscription_id),
      provider: address(row.provider),
      account: address(row.account),
      token: address(row.token),
    },
  }
  // Safe: the schema that parses the facts is that of the type.
  return { ...fields, type, facts: EVENT_FACTS[type].parse(JSON.parse(row.facts)) } as LoggedEvent
}
