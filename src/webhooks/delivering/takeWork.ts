import { sql, type Transaction } from 'kysely'
import type { EventLog, LoggedEvent } from '../../core/ports/events.ts'
import type { Log } from '../../core/ports/log.ts'
import type { WireEvent } from '../../presentation/event.ts'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import {
  type Choice,
  choose,
  MOST_EVENTS,
  type Reading,
  type Standing,
  type WaitingDelivery,
} from './choose.ts'
import { type Claim, holdEndpoints, owns } from './claims.ts'
import { toListener } from './Listeners.ts'
import type { RecentLog } from './RecentLog.ts'
import { readLanes } from './readLanes.ts'
import { AGAIN, chunksOf, doneRows, grouped, kindOf, newDelivery, PENDING } from './rows.ts'

export interface TakeOptions {
  readonly store: Store
  readonly events: EventLog
  /** Events as they travel. Throws what a view of their chain throws. */
  readonly encode: (chainId: number, events: readonly LoggedEvent[]) => Promise<readonly WireEvent[]>
  readonly chainIds: readonly number[]
  readonly log: Log
}

/** What a turn sends. */
export interface Work extends Pick<Choice, 'claim' | 'leftSince'> {
  /** Those of one queue in their order. */
  readonly deliveries: readonly WaitingDelivery[]
  /** Whether lanes were moved. */
  readonly hasMoved: boolean
}

/** Events as they are sent. Many endpoints hear the same ones. */
const bodies = new WeakMap<LoggedEvent, string>()

/**
 * Finds what claimed endpoints are sent: rows that wait, and events of the log. These get rows, and lanes move past them, in one
 * transaction before the first byte. So what may have been heard has a row: after a kill it is sent again, and if it is
 * taken back, that is told.
 *
 * Leaves out endpoints that others have claimed meanwhile.
 */
export async function takeWork(
  options: TakeOptions & { readonly recent: RecentLog },
  claims: readonly Claim[],
): Promise<readonly Work[]> {
  const { store, encode, log } = options
  const unreadable = new Set<number>()
  const onUnreadable = (chainId: number, error: unknown) => {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
    log.warn('Events of a chain cannot be sent to webhooks now', { chainId, reason })
    unreadable.add(chainId)
  }
  const choices = (await readStandings(options, claims, onUnreadable)).map(choose)
  const events = new Set(choices.flatMap(({ fed }) => fed.map(({ event }) => event)))
  const bare = [...events].filter((event) => !bodies.has(event))
  for (const [chainId, ofChain] of grouped(bare, (event) => event.chainId)) {
    try {
      const wires = await encode(chainId, ofChain)
      for (const [place, event] of ofChain.entries()) bodies.set(event, JSON.stringify(wires[place]))
    } catch (error) {
      // The other chains wait for nothing.
      onUnreadable(chainId, error)
    }
  }
  return store.transaction((db) => writeChoices(db, store.kind, choices, unreadable))
}

/** Reads all that decides what endpoints are sent. */
async function readStandings(
  options: TakeOptions & { readonly recent: RecentLog },
  claims: readonly Claim[],
  onUnreadable: (chainId: number, error: unknown) => void,
): Promise<readonly Standing[]> {
  const { db } = options.store
  const ids = claims.map(({ endpoint }) => endpoint.id)
  // Before the lanes: what a router adds meanwhile is beyond it.
  const routes = await db.selectFrom('webhook_routes').selectAll().execute()
  const lanes = await db
    .selectFrom('webhook_lanes')
    .selectAll()
    .where('endpoint_id', 'in', ids)
    .where('chain_id', 'in', options.chainIds)
    .orderBy('sequence')
    .execute()
  const queues = await db
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'queue', (row) => row.fn.min<number>('next_at').as('next_at')])
    .where('endpoint_id', 'in', ids)
    .where('state', '=', sql.lit(PENDING))
    .groupBy(['endpoint_id', 'queue'])
    .execute()
  const now = Date.now()
  const areDue = new Set(queues.filter(({ next_at }) => next_at <= now).map((one) => one.endpoint_id))
  const dueOf = grouped(await readDue(db, [...areDue], now), (row) => row.endpoint_id)
  const lanesOf = grouped(lanes, (lane) => lane.endpoint_id)
  const queuesOf = grouped(queues, (one) => one.endpoint_id)
  const owners = claims.map((claim) => {
    const { endpoint } = claim
    const waiting = new Set(queuesOf.get(endpoint.id)?.map(({ queue }) => queue))
    const own = lanesOf.get(endpoint.id) ?? []
    return { claim, listener: toListener(endpoint), version: endpoint.version, lanes: own, waiting }
  })
  const readings = await readLanes({ ...options, routes, onUnreadable }, owners)
  const toldOf = grouped(await readTold(db, ids, readings.values()), (row) => row.endpoint_id)
  return owners.map(({ claim, lanes: own, waiting }) => ({
    claim,
    lanes: own,
    waiting,
    readings: own.flatMap((lane) => readings.get(lane) ?? []),
    due: dueOf.get(claim.endpoint.id) ?? [],
    told: new Set(toldOf.get(claim.endpoint.id)?.map((row) => row.event_id)),
  }))
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

/** Rows that may be sent now, those first that have waited longest. All rows of a queue wait for the same time. */
async function readDue(
  db: Store['db'],
  ids: readonly string[],
  now: number,
): Promise<readonly WaitingDelivery[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom((from) =>
      from
        .selectFrom('webhook_deliveries')
        .select([...WAITING, 'next_at'])
        .select(
          sql<number>`row_number() over (partition by endpoint_id, chain_id order by next_at, sequence)`.as(
            'place',
          ),
        )
        .where('endpoint_id', 'in', ids)
        .where('state', '=', sql.lit(PENDING))
        .where('next_at', '<=', now)
        .as('waiting'),
    )
    .select(WAITING)
    .where('place', '<=', MOST_EVENTS)
    .orderBy('next_at')
    .orderBy('sequence')
    .execute()
}

/** Which endpoints have rows of what retractions take back. */
async function readTold(db: Store['db'], endpoints: readonly string[], readings: Iterable<Reading>) {
  const taken = [...readings].flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'retracted' ? event.facts.ids : [])),
  )
  const told: { readonly endpoint_id: string; readonly event_id: string }[] = []
  for (const chunk of chunksOf([...new Set(taken)])) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id', 'event_id'])
      .where('event_id', 'in', chunk)
      .where('endpoint_id', 'in', endpoints)
      .execute()
    told.push(...rows)
  }
  return told
}

const LANE_TYPES = {
  endpoint_id: 'text',
  chain_id: 'bigint',
  queue: 'text',
  until_sequence: 'bigint',
} as const

async function writeChoices(
  db: Transaction<Tables>,
  kind: Store['kind'],
  choices: readonly Choice[],
  unreadable: ReadonlySet<number>,
): Promise<readonly Work[]> {
  const held = await holdEndpoints(
    db,
    kind,
    choices.map(({ claim }) => claim.endpoint.id),
  )
  const own = choices.filter(({ claim: { endpoint } }) => owns(endpoint, held.get(endpoint.id)))
  // Whoever pauses an endpoint or changes what it hears wakes it, so its turn only ends.
  const standing = own.filter(({ claim: { endpoint } }) => {
    const now = held.get(endpoint.id)
    return now?.paused_at === null && now.version === endpoint.version
  })
  const isReadable = (lane: { readonly chain_id: number }) => !unreadable.has(lane.chain_id)
  // An endpoint that was woken meanwhile may have to read on from here: who woke it saw this cursor.
  const stays = (lane: Choice['ended'][number]) =>
    kindOf(lane) === 'main' && held.get(lane.endpoint_id)?.woken === 1
  const ended = standing.flatMap((choice) => choice.ended).filter(isReadable)
  const moved = standing.flatMap((choice) => choice.moved).filter(isReadable)
  for (const chunk of chunksOf(ended.filter((lane) => !stays(lane)))) {
    // What an owner wants once more may go further by now.
    await sql`
      with ${doneRows(LANE_TYPES, chunk)}
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
  const fedOf = grouped(await writeRows(db, standing), (row) => row.endpoint_id)
  const movedIds = new Set([...moved, ...ended].map((lane) => lane.endpoint_id))
  return own.map((choice) => {
    const { id } = choice.claim.endpoint
    const deliveries = standing.includes(choice) ? [...choice.due, ...(fedOf.get(id) ?? [])] : []
    return { ...choice, deliveries, hasMoved: movedIds.has(id) }
  })
}

/** Gives events rows. Resolves with those that are to be sent: an event that has had its row comes only where it is wanted again. */
async function writeRows(
  db: Transaction<Tables>,
  choices: readonly Choice[],
): Promise<readonly WaitingDelivery[]> {
  const now = Date.now()
  const rows = choices.flatMap(({ claim, fed }) =>
    fed.flatMap(({ event, queue, again }) => {
      const body = bodies.get(event)
      if (body === undefined) return []
      const { chainId: chain_id, sequence, id: event_id, type } = event
      const message = { chain_id, sequence, event_id, type, queue, body }
      return [{ ...newDelivery(claim.endpoint.id, message, now), again: again ? 1 : 0 }]
    }),
  )
  const written: WaitingDelivery[] = []
  for (const chunk of chunksOf(rows)) {
    written.push(
      ...(await db
        .insertInto('webhook_deliveries')
        .values(chunk)
        .onConflict((row) =>
          row
            .columns(['endpoint_id', 'chain_id', 'sequence'])
            .doUpdateSet((set) => ({ ...AGAIN, queue: set.ref('excluded.queue'), next_at: now }))
            .where('excluded.again', '=', 1)
            .where('webhook_deliveries.state', '<>', PENDING),
        )
        .returning(WAITING)
        .execute()),
    )
  }
  // As they were written: no store promises to answer in that order.
  return written.toSorted((one, other) => one.chain_id - other.chain_id || one.sequence - other.sequence)
}
