import type { Selectable } from 'kysely'
import type { EventFilters, EventLog, Finality, LoggedEvent } from '../../core/ports/events.ts'
import type { Store } from '../../store/openStore.ts'
import type { WebhookDeliveriesTable, WebhookLanesTable } from '../../store/webhookTables.ts'
import { PENDING } from '../endpoints/DeliveryStore.ts'
import { type Claim, grouped } from './claims.ts'
import { concerns, filtersOf, type Listener, Listeners, matches, queueOf, toListener } from './Listeners.ts'
import { AGAIN, MAIN } from './Router.ts'

/** Lanes of late queues that are read in one turn. */
const MOST_READ = 20
/** Events in one read of a log. */
const PAGE = 500

export type LaneRow = Selectable<WebhookLanesTable>
export type PendingRow = Pick<
  WebhookDeliveriesTable,
  'endpoint_id' | 'chain_id' | 'sequence' | 'queue' | 'next_at'
>

/** What is known of a claimed endpoint. */
export interface Standing {
  readonly claim: Claim
  readonly listener: Listener
  readonly lanes: readonly LaneRow[]
  readonly pending: readonly PendingRow[]
}

/** What a lane leads to. */
export interface Page {
  readonly events: readonly LoggedEvent[]
  /** All up to here was looked at. */
  readonly next: number
  /** No further than this may be read: the main cursor, or the router, is there. */
  readonly until: number
  readonly hasMore: boolean
}

export interface Reads {
  readonly standings: readonly Standing[]
  readonly pages: ReadonlyMap<LaneRow, Page>
  /** The version of the endpoints that each route knows. */
  readonly routes: readonly Route[]
  /** Endpoint and event id of what has a row, of what retractions take back. */
  readonly told: ReadonlySet<string>
  /** Chains whose log cannot be read now. */
  readonly unreadable: ReadonlySet<number>
  readonly now: number
}

interface Route {
  readonly chain_id: number
  readonly finality: string
  readonly sequence: number
  readonly version: number
}

interface ReadOptions {
  readonly store: Store
  readonly events: EventLog
  readonly chainIds: readonly number[]
  /** Hears of a log that cannot be read. Its events wait, and no others. */
  readonly onUnreadable: (chainId: number, error: unknown) => void
}

/** Reads all that decides what claimed endpoints are sent. Logs are read once for all endpoints that are near their ends. */
export async function readStandings(options: ReadOptions, claims: readonly Claim[]): Promise<Reads> {
  const { db } = options.store
  const ids = claims.map(({ endpoint }) => endpoint.id)
  const routes = await db.selectFrom('webhook_routes').selectAll().execute()
  const lanes = await db.selectFrom('webhook_lanes').selectAll().where('endpoint_id', 'in', ids).execute()
  const pending = await db
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'chain_id', 'sequence', 'queue', 'next_at'])
    .where('endpoint_id', 'in', ids)
    .where('state', '=', PENDING)
    .orderBy('chain_id')
    .orderBy('sequence')
    .execute()
  const lanesOf = grouped(lanes, (lane) => lane.endpoint_id)
  const pendingOf = grouped(pending, (row) => row.endpoint_id)
  const standings = claims.map((claim) => ({
    claim,
    listener: toListener(claim.endpoint),
    lanes: (lanesOf.get(claim.endpoint.id) ?? []).filter(({ chain_id }) =>
      options.chainIds.includes(chain_id),
    ),
    pending: pendingOf.get(claim.endpoint.id) ?? [],
  }))
  const { pages, unreadable } = await readPages(options, standings, routes)
  const told = await readTold(options.store, standings, pages)
  return { standings, pages, routes, told, unreadable, now: Date.now() }
}

async function readPages(
  { events: log, onUnreadable }: ReadOptions,
  standings: readonly Standing[],
  routes: readonly Route[],
): Promise<Pick<Reads, 'pages' | 'unreadable'>> {
  const pages = new Map<LaneRow, Page>()
  const unreadable = new Set<number>()
  const read = async (
    chainId: number,
    finality: Finality,
    range: { readonly after: number; readonly until: number },
    filters: EventFilters = {},
  ): Promise<Page | undefined> => {
    const { after, until } = range
    if (after >= until) return { events: [], next: after, until, hasMore: false }
    if (unreadable.has(chainId)) return undefined
    try {
      const page = await log.read(chainId, { after, first: PAGE, filters, finality })
      const events = page.events.filter(({ sequence }) => sequence <= until)
      return { events, next: Math.min(page.next, until), until, hasMore: page.hasMore }
    } catch (error) {
      if (!unreadable.has(chainId)) onUnreadable(chainId, error)
      unreadable.add(chainId)
      return undefined
    }
  }
  const mains = standings.flatMap((standing) =>
    standing.lanes.flatMap((lane) => (lane.queue === MAIN ? [{ lane, standing }] : [])),
  )
  for (const { chain_id: chainId, finality: name, sequence: until } of routes) {
    const near = mains.filter(
      ({ lane, standing }) =>
        lane.chain_id === chainId && standing.listener.finality === name && lane.sequence >= until - PAGE,
    )
    const finality = near[0]?.standing.listener.finality
    if (finality === undefined) continue
    const page = await read(chainId, finality, {
      after: Math.min(...near.map(({ lane }) => lane.sequence)),
      until,
    })
    if (page === undefined) continue
    const listeners = new Listeners(near.map(({ standing }) => standing.listener))
    const heard = new Map<string, LoggedEvent[]>()
    for (const event of page.events) {
      for (const { id } of listeners.hearing(event, finality)) {
        const before = heard.get(id)
        if (before === undefined) heard.set(id, [event])
        else before.push(event)
      }
    }
    for (const { lane } of near) {
      const events = (heard.get(lane.endpoint_id) ?? []).filter(({ sequence }) => sequence > lane.sequence)
      pages.set(lane, { ...page, events, next: Math.max(lane.sequence, page.next) })
    }
  }
  await Promise.all(
    standings.map(async ({ listener, lanes, pending }) => {
      const busy = new Set(pending.map(({ queue }) => queue))
      const late = lanes.filter(({ queue }) => queue !== MAIN && queue !== AGAIN && !busy.has(queue))
      const oldest = late.toSorted((one, other) => one.sequence - other.sequence).slice(0, MOST_READ)
      const others = lanes.filter((lane) => (lane.queue === MAIN || lane.queue === AGAIN) && !pages.has(lane))
      for (const lane of [...others, ...oldest]) {
        const { chain_id: chainId, queue, sequence: after } = lane
        const end = routes.find((one) => one.chain_id === chainId && one.finality === listener.finality)
        const main = lanes.find((one) => one.chain_id === chainId && one.queue === MAIN)
        const cap = end?.sequence ?? 0
        const until =
          queue === MAIN ? cap : queue === AGAIN ? (lane.until_sequence ?? 0) : (main?.sequence ?? cap)
        const filters = { ...filtersOf(listener), ...subscriptionOf(queue) }
        const page = await read(chainId, listener.finality, { after, until }, filters)
        if (page === undefined) continue
        const hears = (event: LoggedEvent) =>
          queue === AGAIN
            ? matches(listener, event)
            : concerns(listener, event) && (queue === MAIN || queueOf(event) === queue)
        pages.set(lane, { ...page, events: page.events.filter(hears) })
      }
    }),
  )
  return { pages, unreadable }
}

/** What narrows a read to a queue, where it is that of a subscription. */
function subscriptionOf(queue: string): EventFilters {
  const subject = queue.split(' ')[1] ?? ''
  return /^0x[0-9a-f]{64}$/.test(subject) ? { subscriptionId: `0x${subject.slice(2)}` } : {}
}

async function readTold(
  { db }: Store,
  standings: readonly Standing[],
  pages: ReadonlyMap<LaneRow, Page>,
): Promise<ReadonlySet<string>> {
  const told = new Set<string>()
  const ids = new Set(
    [...pages.values()].flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'retracted' ? event.facts.ids : [])),
    ),
  )
  const all = [...ids]
  for (let start = 0; start < all.length; start += PAGE) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id', 'event_id'])
      .where('event_id', 'in', all.slice(start, start + PAGE))
      .where(
        'endpoint_id',
        'in',
        standings.map(({ claim }) => claim.endpoint.id),
      )
      .execute()
    for (const row of rows) told.add(`${row.endpoint_id} ${row.event_id}`)
  }
  return told
}
