import type { Selectable } from 'kysely'
import type { EventFilters, EventLog, Finality, LoggedEvent } from '../../core/ports/events.ts'
import type { Store } from '../../store/openStore.ts'
import type { WebhookLanesTable, WebhookRoutesTable } from '../../store/webhookTables.ts'
import type { Claim } from './claims.ts'
import { concerns, filtersOf, type Listener, Listeners, matches, queueOf, toListener } from './Listeners.ts'
import { alternating, grouped, MAIN, NO_CHAIN, PENDING } from './rows.ts'

/** Lanes beside the main cursors that are read in one turn: those that have waited longest. */
const MOST_READ = 20
/** Events in one read of a log. */
const PAGE = 500

export type LaneRow = Selectable<WebhookLanesTable>

export function isMain({ queue }: LaneRow): boolean {
  return queue === MAIN
}

export function isSince({ queue }: LaneRow): boolean {
  return queue.startsWith('since ')
}

/** Whether a lane leads to rows that are there: what is sent once more, and messages that are in no log. */
function hasRows({ queue, chain_id }: LaneRow): boolean {
  return queue.startsWith('again ') || chain_id === NO_CHAIN
}

/** Something to be sent. With `event` it may have no row yet. */
export interface Item {
  readonly chainId: number
  readonly sequence: number
  readonly queue: string
  /** Whether it is sent although it was sent before. */
  readonly again: boolean
  readonly event?: LoggedEvent
}

/** What a lane leads to. */
export interface Page {
  readonly items: readonly Item[]
  /** All up to here was looked at. */
  readonly next: number
  /** No further than this may be read: the main cursor, or the router, is there. */
  readonly until: number
  readonly hasMore: boolean
}

/** A claimed endpoint with its lanes. */
export interface Standing {
  readonly claim: Claim
  readonly lanes: readonly LaneRow[]
}

type Route = Selectable<WebhookRoutesTable>

export interface Reads {
  readonly standings: readonly Standing[]
  /** Of the lanes that may go on now. */
  readonly pages: ReadonlyMap<LaneRow, Page>
  readonly routes: readonly Route[]
  /** Endpoint and event id of what has a row, of all that retractions take back. */
  readonly told: ReadonlySet<string>
  /** Chains whose log cannot be read now. */
  readonly unreadable: ReadonlySet<number>
}

export interface ReadOptions {
  readonly store: Store
  readonly events: EventLog
  readonly chainIds: readonly number[]
  /** Hears of a log that cannot be read. Its events wait, and no others. */
  readonly onUnreadable: (chainId: number, error: unknown) => void
}

/** Reads all that decides what claimed endpoints are sent. A log is read once for all endpoints that are near its end. */
export async function readLanes(options: ReadOptions, claims: readonly Claim[]): Promise<Reads> {
  const { db } = options.store
  const ids = claims.map(({ endpoint }) => endpoint.id)
  // Before the lanes: what a router adds meanwhile is beyond it.
  const routes = await db.selectFrom('webhook_routes').selectAll().execute()
  const all = await db.selectFrom('webhook_lanes').selectAll().where('endpoint_id', 'in', ids).execute()
  const lanesOf = grouped(
    all.filter((lane) => hasRows(lane) || options.chainIds.includes(lane.chain_id)),
    (lane) => lane.endpoint_id,
  )
  const standings = claims.map((claim) => ({ claim, lanes: lanesOf.get(claim.endpoint.id) ?? [] }))
  const { pages, unreadable } = await new Reading(options, routes).read(standings)
  return { standings, pages, routes, told: await readTold(db, ids, pages), unreadable }
}

class Reading {
  readonly #options: ReadOptions
  readonly #routes: readonly Route[]
  readonly #pages = new Map<LaneRow, Page>()
  readonly #unreadable = new Set<number>()

  constructor(options: ReadOptions, routes: readonly Route[]) {
    this.#options = options
    this.#routes = routes
  }

  async read(standings: readonly Standing[]): Promise<Pick<Reads, 'pages' | 'unreadable'>> {
    const all = standings.map(({ claim, lanes }) => ({ listener: toListener(claim.endpoint), lanes }))
    const mains = all.flatMap(({ listener, lanes }) =>
      lanes.flatMap((lane) => (isMain(lane) ? [{ listener, lane }] : [])),
    )
    for (const route of this.#routes) await this.#readNear(route, mains)
    const now = Date.now()
    await Promise.all(
      all.map(async ({ listener, lanes }) => {
        const due = lanes
          .filter((lane) => !isMain(lane) && lane.next_at !== null && lane.next_at <= now)
          .toSorted((one, other) => (one.next_at ?? 0) - (other.next_at ?? 0))
        const far = lanes.filter((lane) => isMain(lane) && !this.#pages.has(lane))
        const byChain = alternating(grouped(due, (lane) => lane.chain_id).values())
        for (const lane of [...far, ...byChain.slice(0, MOST_READ)]) {
          const page = await (hasRows(lane) ? this.#readRows(lane) : this.#readLane(listener, lane, lanes))
          if (page !== undefined) this.#pages.set(lane, page)
        }
      }),
    )
    return { pages: this.#pages, unreadable: this.#unreadable }
  }

  /** Reads the end of a log for all that are near it. */
  async #readNear(
    { chain_id: chainId, finality: name, sequence: until }: Route,
    mains: readonly { readonly listener: Listener; readonly lane: LaneRow }[],
  ): Promise<void> {
    const near = mains.filter(
      ({ lane, listener }) =>
        lane.chain_id === chainId && listener.finality === name && lane.sequence >= until - PAGE,
    )
    const finality = near[0]?.listener.finality
    if (finality === undefined) return
    const after = Math.min(...near.map(({ lane }) => lane.sequence))
    const page = await this.#readLog(chainId, finality, { after, until }, {})
    if (page === undefined) return
    const listeners = new Listeners(near.map(({ listener }) => listener))
    const heard = grouped(
      page.events.flatMap((event) => listeners.hearing(event, finality).map(({ id }) => ({ id, event }))),
      ({ id }) => id,
    )
    for (const { lane } of near) {
      const events = (heard.get(lane.endpoint_id) ?? []).filter(({ event }) => event.sequence > lane.sequence)
      const next = Math.max(lane.sequence, page.next)
      this.#pages.set(lane, { ...page, items: events.map(({ event }) => eventItem(event)), next })
    }
  }

  async #readLane(listener: Listener, lane: LaneRow, lanes: readonly LaneRow[]): Promise<Page | undefined> {
    const { chain_id: chainId, queue, sequence: after, until_sequence } = lane
    const end = this.#routes.find((one) => one.chain_id === chainId && one.finality === listener.finality)
    const main = lanes.find((one) => one.chain_id === chainId && isMain(one))
    const routed = end?.sequence ?? 0
    const until = isMain(lane) ? routed : (until_sequence ?? main?.sequence ?? routed)
    const isLate = !isMain(lane) && !isSince(lane)
    const narrow = isLate ? subscriptionOf(queue) : undefined
    const range = { after, until }
    const page = await this.#readLog(chainId, listener.finality, range, narrow ?? filtersOf(listener))
    if (page === undefined) return undefined
    const events = page.events.filter((event) => !isLate || queueOf(event) === queue)
    const hears = isSince(lane) ? matches : concerns
    let wanted = events.filter((event) => hears(listener, event))
    if (isLate && wanted.length < events.length) {
      // What was tried goes on being tried, whatever its owner wishes by now.
      const { items } = await this.#readRows(lane)
      const tried = new Set(items.map(({ sequence }) => sequence))
      wanted = events.filter((event) => tried.has(event.sequence) || hears(listener, event))
    }
    return { ...page, items: wanted.map(eventItem) }
  }

  async #readLog(
    chainId: number,
    finality: Finality,
    { after, until }: { readonly after: number; readonly until: number },
    filters: EventFilters,
  ): Promise<(Omit<Page, 'items'> & { readonly events: readonly LoggedEvent[] }) | undefined> {
    if (after >= until) return { events: [], next: after, until, hasMore: false }
    if (this.#unreadable.has(chainId)) return undefined
    try {
      const page = await this.#options.events.read(chainId, { after, first: PAGE, filters, finality })
      const events = page.events.filter(({ sequence }) => sequence <= until)
      return { events, next: Math.min(page.next, until), until, hasMore: page.hasMore }
    } catch (error) {
      if (!this.#unreadable.has(chainId)) this.#options.onUnreadable(chainId, error)
      this.#unreadable.add(chainId)
      return undefined
    }
  }

  async #readRows({ endpoint_id, queue }: LaneRow): Promise<Page> {
    const rows = await this.#options.store.db
      .selectFrom('webhook_deliveries')
      .select(['chain_id as chainId', 'sequence', 'queue'])
      .where('endpoint_id', '=', endpoint_id)
      .where('queue', '=', queue)
      .where('state', '=', PENDING)
      .orderBy('sequence')
      .limit(MOST_READ)
      .execute()
    const items = rows.map((row) => ({ ...row, again: false }))
    return { items, next: 0, until: 0, hasMore: false }
  }
}

function eventItem(event: LoggedEvent): Item {
  const { chainId, sequence } = event
  return { chainId, sequence, queue: queueOf(event), again: false, event }
}

/** What narrows a read to a queue; `undefined` where that is no subscription's. */
function subscriptionOf(queue: string): EventFilters | undefined {
  const subject = queue.split(' ')[1] ?? ''
  return /^0x[0-9a-f]{64}$/.test(subject) ? { subscriptionId: `0x${subject.slice(2)}` } : undefined
}

async function readTold(
  db: Store['db'],
  endpoints: readonly string[],
  pages: ReadonlyMap<LaneRow, Page>,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const { items } of pages.values()) {
    for (const { event } of items) {
      if (event?.type === 'retracted') for (const id of event.facts.ids) ids.add(id)
    }
  }
  const all = [...ids]
  const told = new Set<string>()
  for (let start = 0; start < all.length; start += PAGE) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id', 'event_id'])
      .where('event_id', 'in', all.slice(start, start + PAGE))
      .where('endpoint_id', 'in', endpoints)
      .execute()
    for (const row of rows) told.add(`${row.endpoint_id} ${row.event_id}`)
  }
  return told
}
