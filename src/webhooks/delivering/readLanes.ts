import type { Selectable } from 'kysely'
import type { EventFilters, EventLog, EventPage } from '../../core/ports/events.ts'
import type { Store } from '../../store/openStore.ts'
import type { WebhookRoutesTable } from '../../store/webhookTables.ts'
import type { Reading } from './choose.ts'
import { concerns, filtersOf, type Listener, Listeners, matches, queueOf } from './Listeners.ts'
import { PAGE, type RecentLog } from './RecentLog.ts'
import { alternating, grouped, kindOf, type LaneRow } from './rows.ts'

/** Lanes of late queues that are read in one turn, the oldest events first. */
const MOST_READ = 20

interface ReadOptions {
  readonly store: Store
  readonly events: EventLog
  readonly recent: RecentLog
  readonly chainIds: readonly number[]
  /** Hears of a log that cannot be read. Its events wait, and no others. */
  readonly onUnreadable: (chainId: number, error: unknown) => void
}

/** An endpoint with its lanes, the oldest first. */
interface Owner {
  readonly listener: Listener
  readonly version: number
  readonly lanes: readonly LaneRow[]
  /** Queues with rows that wait: their lanes wait for these. */
  readonly waiting: ReadonlySet<string>
}

/** A main cursor near the end of its log. */
interface Near {
  readonly owner: Owner
  readonly lane: LaneRow
}

type Route = Selectable<WebhookRoutesTable>

/** Reads what the lanes of endpoints lead to. A log is read once for all that are near its end. */
export async function readLanes(
  options: ReadOptions,
  routes: readonly Route[],
  owners: readonly Owner[],
): Promise<ReadonlyMap<LaneRow, Reading>> {
  const readings = new Map<LaneRow, Reading>()
  const unreadable = new Set<number>()
  /** `undefined` where it cannot be read. */
  async function readLog(
    lane: Pick<LaneRow, 'chain_id' | 'sequence'>,
    until: number,
    read: () => Promise<EventPage>,
  ): Promise<Pick<Reading, 'events' | 'next' | 'until' | 'hasMore'> | undefined> {
    if (lane.sequence >= until) return { events: [], next: lane.sequence, until, hasMore: false }
    if (unreadable.has(lane.chain_id)) return undefined
    try {
      const page = await read()
      const events = page.events.filter(({ sequence }) => sequence <= until)
      return { events, next: Math.min(page.next, until), until, hasMore: page.hasMore }
    } catch (error) {
      if (!unreadable.has(lane.chain_id)) options.onUnreadable(lane.chain_id, error)
      unreadable.add(lane.chain_id)
      return undefined
    }
  }
  async function readNear(route: Route, near: readonly Near[]): Promise<void> {
    const finality = near[0]?.owner.listener.finality
    if (finality === undefined) return
    const sequence = Math.min(...near.map(({ lane }) => lane.sequence))
    const { chain_id } = route
    const read = () => options.recent.read(chain_id, finality, sequence)
    const page = await readLog({ chain_id, sequence }, route.sequence, read)
    if (page === undefined) return
    const listeners = new Listeners(near.map(({ owner }) => owner.listener))
    const heard = grouped(
      page.events.flatMap((event) => listeners.hearing(event, finality).map(({ id }) => ({ id, event }))),
      ({ id }) => id,
    )
    for (const { lane, owner } of near) {
      const own = (heard.get(lane.endpoint_id) ?? []).map(({ event }) => event)
      const events = own.filter((event) => event.sequence > lane.sequence)
      readings.set(lane, { ...page, lane, events, isKnown: route.version >= owner.version })
    }
  }
  async function readFar({ listener, version, lanes }: Owner, lane: LaneRow): Promise<void> {
    const { chain_id: chainId, queue, sequence: after } = lane
    const kind = kindOf(lane)
    const route = routes.find((one) => one.chain_id === chainId && one.finality === listener.finality)
    const main = lanes.find((one) => one.chain_id === chainId && kindOf(one) === 'main')
    const end = route?.sequence ?? 0
    const until = kind === 'main' ? end : (lane.until_sequence ?? main?.sequence ?? end)
    const filters = (kind === 'late' ? subscriptionOf(queue) : undefined) ?? filtersOf(listener)
    const query = { after, first: PAGE, filters, finality: listener.finality }
    const page = await readLog(lane, until, () => options.events.read(chainId, query))
    if (page === undefined) return
    const hears = kind === 'since' ? matches : concerns
    const events = page.events.filter(
      (event) => hears(listener, event) && (kind !== 'late' || queueOf(event) === queue),
    )
    readings.set(lane, { ...page, lane, events, isKnown: (route?.version ?? 0) >= version })
  }
  for (const route of routes) {
    const near = owners.flatMap((owner) =>
      owner.lanes.flatMap((lane) => (isNear(lane, owner.listener, route) ? [{ owner, lane }] : [])),
    )
    await readNear(route, near)
  }
  await Promise.all(
    owners.map(async (owner) => {
      const cursors = owner.lanes.filter((lane) => kindOf(lane) !== 'late' && !readings.has(lane))
      const late = owner.lanes.filter((lane) => kindOf(lane) === 'late' && !owner.waiting.has(lane.queue))
      const byChain = alternating(grouped(late, (lane) => lane.chain_id).values())
      for (const lane of [...cursors, ...byChain.slice(0, MOST_READ)]) await readFar(owner, lane)
    }),
  )
  return readings
}

function isNear(lane: LaneRow, { finality }: Listener, route: Route): boolean {
  const isOf = lane.chain_id === route.chain_id && finality === route.finality
  return isOf && kindOf(lane) === 'main' && lane.sequence >= route.sequence - PAGE
}

/** What narrows a read to a queue; `undefined` where that is no subscription's. */
function subscriptionOf(queue: string): EventFilters | undefined {
  const subject = queue.split(' ')[1] ?? ''
  return /^0x[0-9a-f]{64}$/.test(subject) ? { subscriptionId: `0x${subject.slice(2)}` } : undefined
}
