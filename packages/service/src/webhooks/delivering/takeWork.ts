import { groupBy } from '@remit/engine/indexing/groupBy'
import type { EventLog, LoggedEvent } from '@remit/engine/ports/events'
import type { Log } from '@remit/engine/ports/log'
import type { WireEvent } from '@remit/engine/presentation/event'
import { within } from '@remit/engine/waiting/within'
import { sql, type Transaction } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Store } from '../../store/openStore.ts'
import type { Tables, WebhookDeliveriesTable } from '../../store/tables.ts'
import { type Claim, lockEndpoints, owns } from './claims.ts'
import { type Listener, toListener } from './Listeners.ts'
import { type CursorRead, planRows, type RowPlan } from './planRows.ts'
import type { RecentLog } from './Router.ts'
import { readCursors } from './readCursors.ts'
import { FAILURES_TO_SLOW_DOWN } from './retries.ts'
import {
  alternating,
  chunksOf,
  doneRows,
  kindOf,
  NO_CHAIN,
  newDelivery,
  PENDING,
  RESEND_COLUMNS,
} from './rows.ts'

// `rows.ts` explains the words: endpoint, row, queue, cursor (main, late, since; ended), route, woken, turn.

/** A chain whose events are not encoded in this time is passed over: the claims of all endpoints run meanwhile. */
const ENCODE_MS = 2_000
/** For so long it is then passed over: at most a sixth of the time goes to a chain that gives nothing. */
const PASSED_OVER_MS = 10_000
/** Events of one endpoint in one turn. Then others have theirs. */
const MOST_EVENTS = 20

export interface TakeOptions {
  readonly store: Store
  readonly events: EventLog
  /** Events as they travel. Throws what a view of their chain throws. */
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly chainIds: readonly number[]
  readonly log: Log
}

type ReadOptions = TakeOptions & { readonly recent: RecentLog }

interface PassedOver {
  /** By chain that was not encoded in time, until when it is passed over, by `performance.now()`. `takeWork` adds to it. */
  readonly passedOver: Map<number, number>
}

const WAITING = [
  'endpoint_id',
  'chain_id',
  'sequence',
  'event_id',
  'type',
  'queue',
  'body',
  'attempts',
  'first_attempt_at',
] as const

/** A row that waits, with what a request needs of it. */
export type WaitingDelivery = Pick<WebhookDeliveriesTable, (typeof WAITING)[number]>

/** What a turn sends. */
export interface Work {
  readonly claim: Claim
  /** The rows that are sent. Those of one queue stand in their order. */
  readonly deliveries: readonly WaitingDelivery[]
  /** Whether cursors were moved or ended. */
  readonly hasMoved: boolean
  /** When the oldest event that was read and got no row happened, in unix milliseconds; `Infinity` where all got one. */
  readonly leftSince: number
}

/** A claimed endpoint, with the plan of `planRows` for it: which events get rows, and which cursors move or end. */
interface Choice extends RowPlan {
  readonly claim: Claim
}

/** What endpoints hear, by `<id> <version>`, so that it is parsed once for each. */
const listeners = new LRUCache<string, Listener>({ max: 10_000 })

/** The JSON of events. Many endpoints hear the same ones, so each is encoded once. */
const bodies = new WeakMap<LoggedEvent, string>()

/**
 * Finds what claimed endpoints are sent: rows that wait. Where few wait, the next events of the log get rows first: `readChoices`
 * plans them, the events are encoded, and `writeChoices` writes the rows and moves the cursors past them, in one transaction before
 * the first byte is sent. So whatever a receiver may have got has a row: after a kill it is sent again, and if it is retracted, the
 * receiver hears of it. Of a chain that cannot be read or encoded now, only the rows that exist are sent.
 * Leaves out endpoints that others have claimed meanwhile.
 */
export async function takeWork(
  options: ReadOptions & PassedOver,
  claims: readonly Claim[],
): Promise<readonly Work[]> {
  const { store, log } = options
  const unreadable = new Set<number>()
  const onUnreadable = (chainId: number, error: unknown) => {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
    log.warn('Events of a chain cannot be sent to webhooks now', { chainId, reason })
    unreadable.add(chainId)
  }
  const choices = await readChoices(options, claims, onUnreadable)
  const events = new Set(choices.flatMap(({ newRows }) => newRows.map(({ event }) => event)))
  const passed = await encodeBodies(options, events, onUnreadable)
  for (const chainId of passed) unreadable.add(chainId)
  // Only of chains whose events can be sent: the cursors of the others stay.
  const isReadable = (cursor: { readonly chain_id: number }) => !unreadable.has(cursor.chain_id)
  const readable = choices.map((choice) => ({
    ...choice,
    newRows: choice.newRows.filter(({ event }) => !unreadable.has(event.chainId)),
    moved: choice.moved.filter(isReadable),
    ended: choice.ended.filter(isReadable),
  }))
  return store.transaction((db) => writeChoices(db, store.kind, readable))
}

/**
 * Puts the JSON of these events into `bodies`, all chains at once.
 * @param onUnreadable told of a chain whose events could not be encoded
 * @returns the chains that are passed over, which the log was told when that began
 */
async function encodeBodies(
  { encode, passedOver }: Pick<TakeOptions, 'encode'> & PassedOver,
  events: ReadonlySet<LoggedEvent>,
  onUnreadable: (chainId: number, error: unknown) => void,
): Promise<readonly number[]> {
  const bare = groupBy(
    [...events].filter((event) => !bodies.has(event)),
    (event) => event.chainId,
  )
  const begun = performance.now()
  const passed = [...bare.keys()].filter((chainId) => begun < (passedOver.get(chainId) ?? 0))
  const encoding = [...bare].map(async ([chainId, ofChain]) => {
    if (passed.includes(chainId)) return
    try {
      const late = () => new Error(`no answer within ${ENCODE_MS} ms`)
      const wires = await within(ENCODE_MS, encode(chainId, ofChain), late)
      for (const [index, event] of ofChain.entries()) bodies.set(event, JSON.stringify(wires[index]))
    } catch (error) {
      if (performance.now() - begun >= ENCODE_MS) passedOver.set(chainId, performance.now() + PASSED_OVER_MS)
      onUnreadable(chainId, error)
    }
  })
  await Promise.all(encoding)
  return passed
}

/** Plans rows for each claimed endpoint; none where as many rows are due as a turn sends. */
async function readChoices(
  options: ReadOptions,
  claims: readonly Claim[],
  onUnreadable: (chainId: number, error: unknown) => void,
): Promise<readonly Choice[]> {
  const { db } = options.store
  const ids = claims.map(({ endpoint }) => endpoint.id)
  // Before the cursors. A router adds a main cursor and moves its route in one transaction: a cursor that it adds between these two
  // reads lies beyond the route as read here, by which `planRows` knows to keep it.
  const routes = await db.selectFrom('webhook_routes').selectAll().execute()
  const cursors = await db
    .selectFrom('webhook_lanes')
    .selectAll()
    .where('endpoint_id', 'in', ids)
    .where('chain_id', 'in', [NO_CHAIN, ...options.chainIds])
    .orderBy('sequence')
    .execute()
  const queues = await db
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'queue'])
    .select((row) => [row.fn.min<number>('next_at').as('next_at'), row.fn.countAll<number>().as('count')])
    .where('endpoint_id', 'in', ids)
    .where('state', '=', sql.lit(PENDING))
    .groupBy(['endpoint_id', 'queue'])
    .execute()
  const now = Date.now()
  const cursorsOf = groupBy(cursors, (cursor) => cursor.endpoint_id)
  const queuesOf = groupBy(queues, (one) => one.endpoint_id)
  const endpoints = claims.map((claim) => {
    const { endpoint } = claim
    const most = mostOf(claim)
    const own = queuesOf.get(endpoint.id) ?? []
    const due = own.reduce((sum, { next_at, count }) => (next_at <= now ? sum + Number(count) : sum), 0)
    const waiting = new Set(own.map(({ queue }) => queue))
    // While as many rows are due as a turn sends, no more are made.
    const readable = due >= most ? [] : (cursorsOf.get(endpoint.id) ?? [])
    const name = `${endpoint.id} ${endpoint.version}`
    const listener = listeners.get(name) ?? toListener(endpoint)
    listeners.set(name, listener)
    return { claim, listener, cursors: readable, waiting, most }
  })
  const readings = await readCursors({ ...options, routes, onUnreadable }, endpoints)
  const sentOf = groupBy(await readAlreadySent(db, ids, readings.values()), (row) => row.endpoint_id)
  return endpoints.map(({ claim, cursors, waiting, most }) => {
    const read = cursors.flatMap((cursor) => readings.get(cursor) ?? [])
    const alreadySent = new Set(sentOf.get(claim.endpoint.id)?.map((row) => row.event_id))
    return { claim, ...planRows({ cursors, readings: read, waiting, alreadySent, most }) }
  })
}

/** The most rows that an endpoint is given in a turn: one while it keeps failing. */
function mostOf({ endpoint }: Claim): number {
  return endpoint.failures >= FAILURES_TO_SLOW_DOWN ? 1 : MOST_EVENTS
}

/** Rows of these endpoints for events that the retractions among the readings name. */
async function readAlreadySent(
  db: Store['db'],
  endpoints: readonly string[],
  readings: Iterable<CursorRead>,
) {
  const retracted = [...readings].flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'retracted' ? event.facts.ids : [])),
  )
  const sent: { readonly endpoint_id: string; readonly event_id: string }[] = []
  for (const chunk of chunksOf([...new Set(retracted)])) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id', 'event_id'])
      .where('event_id', 'in', chunk)
      .where('endpoint_id', 'in', endpoints)
      .execute()
    sent.push(...rows)
  }
  return sent
}

const CURSOR_TYPES = {
  endpoint_id: 'text',
  chain_id: 'bigint',
  queue: 'text',
  until_sequence: 'bigint',
} as const

/** Writes rows and cursors of the endpoints that are still claimed, and reads what is due. */
async function writeChoices(
  db: Transaction<Tables>,
  kind: Store['kind'],
  choices: readonly Choice[],
): Promise<readonly Work[]> {
  const ids = choices.map(({ claim }) => claim.endpoint.id)
  const held = await lockEndpoints(db, kind, ids)
  const own = choices.filter(({ claim: { endpoint } }) => owns(endpoint, held.get(endpoint.id)))
  // One that was paused or changed meanwhile gets no rows in this turn.
  const standing = own.filter(({ claim: { endpoint } }) => {
    const now = held.get(endpoint.id)
    return now?.paused_at === null && now.version === endpoint.version
  })
  const ended = standing.flatMap((choice) => choice.ended)
  const moved = standing.flatMap((choice) => choice.moved)
  // A router that has woken the endpoint since it was claimed found its main cursor still there, so it added none for the new event.
  // Deleted now, nothing would lead to that event: the cursor stays, at its new place.
  const stays = (cursor: (typeof ended)[number]) =>
    kindOf(cursor) === 'main' && held.get(cursor.endpoint_id)?.woken === 1
  for (const chunk of chunksOf(ended.filter((cursor) => !stays(cursor)))) {
    // By its `until_sequence` too: where the owner has asked for more of the past meanwhile (`askAgain`), that differs, and it stays.
    await sql`
      with ${doneRows(CURSOR_TYPES, chunk)}
      delete from webhook_lanes where (endpoint_id, chain_id, queue, coalesce(until_sequence, 0))
        in (select endpoint_id, chain_id, queue, coalesce(until_sequence, 0) from done)`.execute(db)
  }
  for (const chunk of chunksOf([...moved, ...ended.filter(stays)])) {
    await db
      .insertInto('webhook_lanes')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['endpoint_id', 'chain_id', 'queue'])
          .doUpdateSet((set) => ({ sequence: set.ref('excluded.sequence') })),
      )
      .execute()
  }
  await writeRows(db, standing)
  const due = groupBy(await readDue(db, standing), (row) => row.endpoint_id)
  const movedIds = new Set([...moved, ...ended].map((cursor) => cursor.endpoint_id))
  return own.map(({ claim, leftSince }) => {
    const { id } = claim.endpoint
    const byChain = groupBy(due.get(id) ?? [], (row) => row.chain_id)
    const deliveries = alternating(byChain.values()).slice(0, mostOf(claim))
    return { claim, leftSince, deliveries, hasMoved: movedIds.has(id) }
  })
}

/** Gives events rows. One that has had its row is sent once more only where that is wanted. */
async function writeRows(db: Transaction<Tables>, choices: readonly Choice[]): Promise<void> {
  const now = Date.now()
  const rows = choices.flatMap(({ claim, newRows }) =>
    newRows.flatMap(({ event, queue, again }) => {
      const body = bodies.get(event)
      if (body === undefined) return []
      const { chainId: chain_id, sequence, id: event_id, type } = event
      const message = { chain_id, sequence, event_id, type, queue, body }
      return [{ ...newDelivery(claim.endpoint.id, message, now), again: again ? 1 : 0 }]
    }),
  )
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('webhook_deliveries')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['endpoint_id', 'chain_id', 'sequence'])
          .doUpdateSet((set) => ({ ...RESEND_COLUMNS, queue: set.ref('excluded.queue'), next_at: now }))
          .where('excluded.again', '=', 1)
          .where('webhook_deliveries.state', '<>', PENDING),
      )
      .execute()
  }
}

/**
 * Rows that may be sent now, those first that have waited longest: MOST_EVENTS of each chain at most. All rows of a queue have the
 * same `next_at`, so none is read before an earlier one of its queue.
 */
async function readDue(
  db: Transaction<Tables>,
  choices: readonly Choice[],
): Promise<readonly WaitingDelivery[]> {
  if (choices.length === 0) return []
  const ids = choices.map(({ claim }) => claim.endpoint.id)
  const place = sql<number>`row_number() over (partition by endpoint_id, chain_id order by next_at, sequence)`
  return db
    .selectFrom((from) =>
      from
        .selectFrom('webhook_deliveries')
        .select([...WAITING, 'next_at', place.as('place')])
        .where('endpoint_id', 'in', ids)
        .where('state', '=', sql.lit(PENDING))
        .where('next_at', '<=', Date.now())
        .as('waiting'),
    )
    .select(WAITING)
    .where('place', '<=', MOST_EVENTS)
    .orderBy('next_at')
    .orderBy('sequence')
    .execute()
}
