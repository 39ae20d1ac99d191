import type { EventFilters, EventLog } from '@remit/engine/ports/events'
import type { Selectable } from 'kysely'
import type { WebhookRoutesTable } from '../../store/webhookTables.ts'
import type { Reading } from './feed.ts'
import { concerns, filtersOf, type Listener, matches, queueOf } from './Listeners.ts'
import { PAGE, type RecentLog } from './RecentLog.ts'
import { alternating, grouped, kindOf, type LaneRow } from './rows.ts'

/** Lanes of late queues that are read in one turn, the oldest events first. */
const MOST_READ = 4

interface ReadOptions {
  readonly events: EventLog
  readonly recent: RecentLog
  readonly routes: readonly Selectable<WebhookRoutesTable>[]
  /** Hears of a log that cannot be read. Its events wait, and no others. */
  readonly onUnreadable: (chainId: number, error: unknown) => void
}

/** An endpoint with its lanes, the oldest first. */
interface Owner {
  readonly listener: Listener
  readonly lanes: readonly LaneRow[]
  /** Queues with rows that wait: their lanes wait for these. */
  readonly waiting: ReadonlySet<string>
}

/** Reads what the lanes of endpoints lead to. The end of a log is read once for all. */
export async function readLanes(
  options: ReadOptions,
  owners: readonly Owner[],
): Promise<ReadonlyMap<LaneRow, Reading>> {
  const readings = new Map<LaneRow, Reading>()
  const unreadable = new Set<number>()
  const read = async (owner: Owner, lane: LaneRow) => {
    if (unreadable.has(lane.chain_id)) return
    try {
      readings.set(lane, await readLane(options, owner, lane))
    } catch (error) {
      if (!unreadable.has(lane.chain_id)) options.onUnreadable(lane.chain_id, error)
      unreadable.add(lane.chain_id)
    }
  }
  const mains = owners.flatMap((owner) =>
    owner.lanes.filter((lane) => kindOf(lane) === 'main').map((lane) => ({ owner, lane })),
  )
  // One after the other, so that what the first one reads is there for all.
  for (const { owner, lane } of mains.toSorted((one, other) => one.lane.sequence - other.lane.sequence)) {
    await read(owner, lane)
  }
  await Promise.all(
    owners.map(async (owner) => {
      const since = owner.lanes.filter((lane) => kindOf(lane) === 'since')
      const late = owner.lanes.filter((lane) => kindOf(lane) === 'late' && !owner.waiting.has(lane.queue))
      const byChain = alternating(grouped(late, (lane) => lane.chain_id).values())
      for (const lane of [...since, ...byChain.slice(0, MOST_READ)]) await read(owner, lane)
    }),
  )
  return readings
}

async function readLane(
  { events, recent, routes }: ReadOptions,
  { listener, lanes }: Owner,
  lane: LaneRow,
): Promise<Reading> {
  const { chain_id: chainId, queue, sequence: after } = lane
  const { finality } = listener
  const kind = kindOf(lane)
  const route = routes.find((one) => one.chain_id === chainId && one.finality === finality)
  const main = lanes.find((one) => one.chain_id === chainId && kindOf(one) === 'main')
  const end = route?.sequence ?? 0
  // What the main cursor has not given rows yet comes in its order, and not once more.
  const passed = main?.sequence ?? end
  const until = kind === 'main' ? end : Math.min(lane.until_sequence ?? passed, passed)
  const bounds = { lane, until, isKnown: (route?.version ?? 0) >= listener.version }
  if (after >= until) return { ...bounds, events: [], next: after, hasMore: false }
  const filters = (kind === 'late' ? subscriptionOf(queue) : undefined) ?? filtersOf(listener)
  const page =
    kind === 'main' && after >= until - PAGE
      ? await recent.read(chainId, finality, after)
      : await events.read(chainId, { after, first: PAGE, filters, finality })
  const hears = kind === 'since' ? matches : concerns
  const heard = page.events.filter(
    (event) =>
      event.sequence <= until && hears(listener, event) && (kind !== 'late' || queueOf(event) === queue),
  )
  return { ...bounds, events: heard, next: Math.min(page.next, until), hasMore: page.hasMore }
}

/** What narrows a read to a queue; `undefined` where that is no subscription's. */
function subscriptionOf(queue: string): EventFilters | undefined {
  const subject = queue.split(' ')[1] ?? ''
  return /^0x[0-9a-f]{64}$/.test(subject) ? { subscriptionId: `0x${subject.slice(2)}` } : undefined
}
