import type { LoggedEvent } from '@remit/engine/ports/events'
import { queueOf } from './Listeners.ts'
import { againQueue, kindOf, type LaneRow, MAIN } from './rows.ts'

/** Of one queue. What follows waits in a lane of its own, so that one busy subscription holds up no other. */
const MOST_OF_QUEUE = 5
/** With more late queues of a chain, its main cursor waits. So the store stays small. */
const MOST_LATE = 1_000

/** What a lane leads to: the events that its endpoint hears. */
export interface Reading {
  readonly lane: LaneRow
  readonly events: readonly LoggedEvent[]
  /** All up to here was looked at. */
  readonly next: number
  /** No further than this may be read: the main cursor, or the router, is there. */
  readonly until: number
  readonly hasMore: boolean
  /** Whether the router knows the endpoint. Until then, it reads for itself. */
  readonly isKnown: boolean
}

/** An endpoint of which few rows wait. */
export interface FeedOptions {
  readonly lanes: readonly LaneRow[]
  readonly readings: readonly Reading[]
  /** Queues with rows that wait. */
  readonly waiting: ReadonlySet<string>
  /** Ids of what has a row, of all that retractions take back. */
  readonly told: ReadonlySet<string>
  /** As many events each cursor gives rows at most. */
  readonly most: number
}

/** An event that gets a row. */
interface NewRow {
  readonly event: LoggedEvent
  readonly queue: string
  /** Whether it is sent although it was sent before. */
  readonly again: boolean
}

/** Which events get rows, and where that leaves the lanes. */
export interface Feeding {
  readonly fed: readonly NewRow[]
  readonly moved: readonly LaneRow[]
  readonly ended: readonly LaneRow[]
  /** When the oldest of what is left happened, in unix milliseconds; `Infinity` where nothing is. */
  readonly leftSince: number
}

/** Gives the next events of each lane rows: of a late queue, of what is new on each chain, and of what is wanted once more. */
export function feed({ lanes, readings, waiting, told, most }: FeedOptions): Feeding {
  const fed: NewRow[] = []
  const moved: LaneRow[] = []
  const ended: LaneRow[] = []
  let leftSince = Number.POSITIVE_INFINITY
  const laned = new Set(lanes.map(({ queue }) => queue))
  // The main cursors pass over these.
  const late = new Set([...laned, ...waiting])
  /** Gives the first of them rows, and returns where the lane is then. @param isOver whether it ends where none is left */
  function take({ lane, next }: Reading, offered: readonly NewRow[], count: number, isOver: boolean): number {
    fed.push(...offered.slice(0, count))
    const left = offered[count]?.event
    const sequence = left === undefined ? Math.max(lane.sequence, next) : left.sequence - 1
    if (left !== undefined) leftSince = Math.min(leftSince, left.block.timestamp * 1_000)
    if (left === undefined && isOver) ended.push({ ...lane, sequence })
    else if (sequence > lane.sequence) moved.push({ ...lane, sequence })
    return sequence
  }
  for (const reading of readings.filter(({ lane }) => kindOf(lane) === 'late')) {
    const { queue } = reading.lane
    const heard = new Set(told)
    const events = reading.events.filter((event) => isTold(event, heard))
    // Only with nothing left: from now on the main cursor gives this queue its rows.
    const isOver = events.length === 0 && reading.next >= reading.until
    if (isOver) for (const queues of [laned, late]) queues.delete(queue)
    take(
      reading,
      events.map((event) => ({ event, queue, again: false })),
      Math.min(most, MOST_OF_QUEUE),
      isOver,
    )
  }
  for (const reading of readings.filter(({ lane }) => kindOf(lane) === 'main')) {
    const { lane, next, until, isKnown } = reading
    if (countOf(late, lane.chain_id) >= MOST_LATE) continue
    const heard = new Set(told)
    const counts = new Map<string, number>()
    const offered: NewRow[] = []
    const begun: LaneRow[] = []
    for (const event of reading.events) {
      if (offered.length > most) break
      const queue = queueOf(event)
      const count = counts.get(queue) ?? 0
      if (late.has(queue) || count >= MOST_OF_QUEUE) {
        if (!laned.has(queue)) begun.push({ ...lane, queue, sequence: event.sequence - 1 })
        for (const queues of [laned, late]) queues.add(queue)
      } else if (isTold(event, heard)) {
        counts.set(queue, count + 1)
        offered.push({ event, queue, again: false })
      }
    }
    // Beyond the router, it waits for the router.
    const sequence = take(reading, offered, most, next >= until && isKnown && lane.sequence <= until)
    moved.push(...begun.filter((one) => one.sequence < sequence))
  }
  for (const reading of readings.filter(({ lane }) => kindOf(lane) === 'since')) {
    const { lane, events, next, until, hasMore } = reading
    const places = new Map(
      lanes.filter(({ chain_id }) => chain_id === lane.chain_id).map((one) => [one.queue, one.sequence]),
    )
    const main = places.get(MAIN) ?? Number.POSITIVE_INFINITY
    // What has had no row in its order yet comes in its order.
    const heard = new Set(told)
    const passed = events.filter(
      (event) => event.sequence <= Math.min(main, places.get(queueOf(event)) ?? main) && isTold(event, heard),
    )
    const offered = passed.map((event) => {
      return { event, queue: againQueue(event.chainId, event.sequence), again: true }
    })
    take(reading, offered, most, next >= until || !hasMore)
  }
  return { fed, moved, ended, leftSince }
}

/** How many queues of a chain are among them. */
function countOf(queues: ReadonlySet<string>, chainId: number): number {
  return [...queues].filter((queue) => queue.startsWith(`${chainId} `)).length
}

/** A retraction is only for who may have heard what it takes back: that has a row, or gets one before it. */
function isTold(event: LoggedEvent, heard: Set<string>): boolean {
  heard.add(event.id)
  return event.type !== 'retracted' || event.facts.ids.some((id) => heard.has(id))
}
