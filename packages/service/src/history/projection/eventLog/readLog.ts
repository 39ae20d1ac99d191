import { eventId } from '@remit/engine/indexing/events/happenedIn'
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
import type { BlockRef } from '@remit/engine/ports/history'
import { type Selectable, sql, type Transaction } from 'kysely'
import { getAddress } from 'viem'
import type { EventLogTable, IndexChainsTable } from '../../../store/indexTables.ts'
import type { Queries, Store } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { UnloggedState, WatchStore } from '../../projection.ts'
import { toHex } from '../columns.ts'
import { lockIndexAtBlock } from '../lockIndexAtBlock.ts'
import { forgetVerdicts } from '../verdicts/updateVerdicts.ts'
import { KINDS } from '../verdicts/VerdictCounts.ts'
import { append, eventRow, type NewEvent, toldFacts, typeNumber, withoutLog } from './writeLog.ts'

/** Rows of the log that one page looks through. A page with few matches ends before it is full, and says where to go on. */
const MOST_LOOKED_AT = 5_000

type Row = Selectable<EventLogTable>

/** `undefined` while the store has no index of the chain that can be read. */
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
 * One page of a chain's log. Reads a bounded number of rows.
 * @param state as read in the same snapshot
 */
export async function readLog(
  db: Queries,
  chainId: number,
  state: LogState,
  { after, first, filters, finality }: EventQuery,
): Promise<EventPage> {
  const from = Math.min(after, state.sequence)
  const held = await firstHeld(db, chainId, state, from, finality)
  const end = held === undefined ? state.sequence : held - 1
  const edge = await lookedAtUpTo(db, chainId, from, filters)
  const last = Math.min(end, edge ?? end)
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
    events: events.filter((event) => isHeard(event, filters.types, finality)),
    next: Math.max(after, next),
    hasMore: isFull || last < end,
  }
}

/** The sequence before the first event that is not sure enough. */
export async function readLogEnd(
  db: Queries,
  chainId: number,
  state: LogState,
  finality: Finality,
): Promise<number> {
  const held = await firstHeld(db, chainId, state, 0, finality)
  return held === undefined ? state.sequence : held - 1
}

/** The first event after a sequence that is not sure enough. None after it is given, so that nothing is passed over. */
async function firstHeld(
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

/** Where the page ends at the latest; `undefined` where fewer rows are left. */
async function lookedAtUpTo(
  db: Queries,
  chainId: number,
  after: number,
  filters: EventFilters,
): Promise<number | undefined> {
  let query = db.selectFrom('event_log').select('sequence').where('chain_id', '=', chainId)
  // One of them has an index that tells the place at once. The others are looked through.
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
  // Readers who wait for finality never saw a retracted event.
  return finality === 'seen' ? query : query.where('retracted_by', 'is', null)
}

/** The narrowest first. */
function subjectsOf({ account, subscriptionId, provider }: EventFilters) {
  const subjects = [
    { column: 'account', value: account?.toLowerCase() },
    { column: 'subscription_id', value: subscriptionId?.toLowerCase() },
    { column: 'provider', value: provider?.toLowerCase() },
  ] as const
  return subjects.flatMap(({ column, value }) => (value === undefined ? [] : [{ column, value }]))
}

/** Whether the reader may have seen an event that this retraction names. */
function isHeard(event: LoggedEvent, types: EventFilters['types'], finality: Finality): boolean {
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
    // What was taken back stays nowhere, however far the chain has gone over its number.
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

/** Remit is behind once a charge has waited for so many days. */
const BEHIND_DAYS = 2

/** How many earlier events of a token, or of remit, are compared with. */
const REMEMBERED = 200

/** Logs which tokens were paused or resumed, makes their payers due for a sweep, and logs that remit is behind. */
export function watchStore(store: Store): WatchStore {
  return {
    logChanges: (lease, block, seen) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        // Another number: a step was written meanwhile. The next look is soon.
        if ((await lockIndexAtBlock(db, lease, block)) !== block.number) return
        const paused = await pauses(db, chainId, block, seen)
        // Whether a token is paused decides all charges in it.
        for (const { token } of paused) await forgetVerdicts(db, chainId, sql<boolean>`token = ${token}`)
        // Second: the charges of paused tokens no longer count by then.
        const late = await behind(db, chainId, block, seen)
        await append(db, chainId, [...paused, ...late])
      }),
  }
}

async function pauses(db: Transaction<Tables>, chainId: number, block: BlockRef, { tokens }: UnloggedState) {
  const events: NewEvent[] = []
  for (const { address, paused } of tokens) {
    const token = address.toLowerCase()
    const told = await toldOf(db, chainId, token, ['token.paused', 'token.resumed'])
    const wasPaused = told[0]?.type === typeNumber('token.paused')
    if (paused === wasPaused) continue
    const type = paused ? 'token.paused' : 'token.resumed'
    const id = eventId(chainId, type, token, told.length + 1)
    events.push(eventRow(type, {}, { ...withoutLog(block), id, token }))
  }
  return events
}

/** Once for each day at which remit stands. */
async function behind(db: Transaction<Tables>, chainId: number, block: BlockRef, seen: UnloggedState) {
  const { nextUncheckedDay: day, today } = seen
  if (today - day < BEHIND_DAYS) return []
  const told = await toldOf(db, chainId, null, ['remit.behind'])
  if (told.some(({ facts }) => toldFacts(facts).day === day)) return []
  // Days on which nothing is due need no remit, nor do charges that it passes over.
  const oldest = await db
    .selectFrom('verdict_counts')
    .select((row) => row.fn.min<number | null>('day_number').as('day'))
    .where('chain_id', '=', chainId)
    .where('day_number', '>=', day)
    .where('kind', '!=', KINDS.indexOf('skipped'))
    .executeTakeFirst()
  if (typeof oldest?.day !== 'number' || oldest.day > today - BEHIND_DAYS) return []
  const daysWaiting = today - oldest.day
  const id = eventId(chainId, 'remit.behind', day)
  return [eventRow('remit.behind', { day, daysWaiting }, { ...withoutLog(block), id })]
}

/** Newest first. */
function toldOf(
  db: Transaction<Tables>,
  chainId: number,
  token: string | null,
  types: readonly ('token.paused' | 'token.resumed' | 'remit.behind')[],
) {
  return db
    .selectFrom('event_log')
    .select(['type', 'facts'])
    .where('chain_id', '=', chainId)
    .where('token', token === null ? 'is' : '=', token)
    .where('subscription_id', 'is', null)
    .where('account', 'is', null)
    .where('log_index', 'is', null)
    .where('retracted_by', 'is', null)
    .where('type', 'in', types.map(typeNumber))
    .orderBy('sequence', 'desc')
    .limit(REMEMBERED)
    .execute()
}
