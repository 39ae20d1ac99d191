import type { LoggedEvent } from '../../core/ports/events.ts'
import type { WebhookDeliveriesTable } from '../../store/webhookTables.ts'
import type { Claim } from './claims.ts'
import { queueOf } from './Listeners.ts'
import { FAILURES_TO_PAUSE } from './retries.ts'
import { againQueue, alternating, grouped, kindOf, type LaneRow, MAIN } from './rows.ts'

/** Events of one endpoint in one turn. Then others have theirs. */
export const MOST_EVENTS = 20
/** Of one queue. What follows waits in a lane of its own, so that one busy subscription holds up no other. */
export const MOST_OF_QUEUE = 5
/** With more queues that wait, the main cursors wait. So the store stays small. */
const MOST_LATE = 1_000

/** A row that waits, with what a request needs of it. */
export type WaitingDelivery = Pick<
  WebhookDeliveriesTable,
  'endpoint_id' | 'chain_id' | 'sequence' | 'event_id' | 'type' | 'queue' | 'body' | 'attempts'
> & { readonly first_attempt_at: number | null }

/** An event that gets a row. */
export interface Fed {
  readonly event: LoggedEvent
  readonly queue: string
  /** Whether it is sent although it was sent before. */
  readonly again: boolean
}

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

/** A claimed endpoint, with all that decides what it is sent. */
export interface Standing {
  readonly claim: Claim
  readonly lanes: readonly LaneRow[]
  readonly readings: readonly Reading[]
  /** Queues with rows that wait. */
  readonly waiting: ReadonlySet<string>
  /** Rows that may be sent now. Of each queue the first ones. */
  readonly due: readonly WaitingDelivery[]
  /** Ids of what has a row, of all that retractions take back. */
  readonly told: ReadonlySet<string>
}

export interface Choice {
  readonly claim: Claim
  readonly due: readonly WaitingDelivery[]
  readonly fed: readonly Fed[]
  /** Lanes as they are once what is fed has its rows. */
  readonly moved: readonly LaneRow[]
  readonly ended: readonly LaneRow[]
  /** When the oldest of what is left happened, in unix milliseconds; `Infinity` where all is taken. */
  readonly leftSince: number
}

/** Something that is offered, with whoever offers it. */
interface Offer {
  readonly chainId: number
  readonly due?: WaitingDelivery
  readonly fed?: Fed
  readonly source?: Source
}

/** A lane with what it offers, and what becomes of it when the first of that are taken. */
interface Source {
  readonly reading: Reading
  readonly offered: readonly Fed[]
  /** Lanes that its queues get where it passes over them. */
  readonly begun: readonly LaneRow[]
}

/** Queues that the main cursor passes over, because they have a lane or rows that wait. */
interface Late {
  readonly late: Set<string>
  readonly laned: Set<string>
}

/**
 * Chooses what an endpoint is sent now: rows that wait, and events that get rows. Chains take turns; of each chain, what is late,
 * what is new and what is wanted once more; of what is late, each lane.
 */
export function choose(standing: Standing): Choice {
  const { claim, readings, due, waiting } = standing
  // Of one that keeps failing one request is made, and no more rows than that.
  const most = claim.endpoint.failures >= FAILURES_TO_PAUSE ? 1 : MOST_EVENTS
  const lates = readings.filter(({ lane }) => kindOf(lane) === 'late').map((one) => lateSource(one, standing))
  const hasEnded = (source: Source) =>
    source.offered.length === 0 && source.reading.next >= source.reading.until
  const over = new Set(lates.filter(hasEnded).map(({ reading }) => reading.lane.queue))
  const laned = new Set(standing.lanes.flatMap(({ queue }) => (over.has(queue) ? [] : queue)))
  const late = new Set([...laned, ...waiting])
  const cursors = late.size >= MOST_LATE ? [] : readings.filter(({ lane }) => kindOf(lane) !== 'late')
  const sources = cursors.map((reading) =>
    kindOf(reading.lane) === 'main'
      ? mainSource(reading, standing.told, { late, laned })
      : sinceSource(reading, standing),
  )
  const offers = (source: Source): readonly Offer[] =>
    source.offered.map((fed) => ({ chainId: fed.event.chainId, fed, source }))
  const kinds = [
    alternating([due.map((row): Offer => ({ chainId: row.chain_id, due: row })), ...lates.map(offers)]),
    ...sources.map(offers),
  ]
  const byChain = new Map<number, (readonly Offer[])[]>()
  for (const kind of kinds) {
    for (const [chainId, ofChain] of grouped(kind, (offer) => offer.chainId)) {
      byChain.set(chainId, [...(byChain.get(chainId) ?? []), ofChain])
    }
  }
  const taken = alternating([...byChain.values()].map(alternating)).slice(0, most)
  const counts = new Map<Source, number>()
  for (const { source } of taken) if (source !== undefined) counts.set(source, (counts.get(source) ?? 0) + 1)
  const moved: LaneRow[] = []
  const ended: LaneRow[] = []
  let leftSince = Number.POSITIVE_INFINITY
  for (const source of [...lates, ...sources]) {
    const { lane, next, until, hasMore, isKnown } = source.reading
    const left = source.offered[counts.get(source) ?? 0]
    if (left !== undefined) leftSince = Math.min(leftSince, left.event.block.timestamp * 1_000)
    const sequence = left === undefined ? Math.max(lane.sequence, next) : left.event.sequence - 1
    const at = { ...lane, sequence }
    const isAtEnd = left === undefined && sequence >= until
    const isOver = {
      late: hasEnded(source),
      // Beyond the router, it waits for the router.
      main: isAtEnd && isKnown && lane.sequence <= until,
      since: isAtEnd || (left === undefined && !hasMore),
    }[kindOf(lane)]
    if (isOver) ended.push(at)
    else if (sequence > lane.sequence) moved.push(at)
    moved.push(...source.begun.filter((begun) => begun.sequence < sequence))
  }
  return {
    claim,
    due: taken.flatMap((offer) => offer.due ?? []),
    fed: taken.flatMap((offer) => offer.fed ?? []),
    moved,
    ended,
    leftSince,
  }
}

function lateSource(reading: Reading, { told }: Standing): Source {
  const heard = new Set(told)
  const { queue } = reading.lane
  const events = reading.events.filter((event) => isTold(event, heard))
  // One more: the lane goes on before it.
  const offered = events.slice(0, MOST_OF_QUEUE).map((event) => ({ event, queue, again: false }))
  const left = events[MOST_OF_QUEUE]
  const end = left === undefined ? {} : { next: left.sequence - 1, hasMore: true }
  return { reading: { ...reading, ...end }, offered, begun: [] }
}

/** What is new. It passes over queues that are late, and leaves a lane there where one becomes so. */
function mainSource(reading: Reading, told: ReadonlySet<string>, { late, laned }: Late): Source {
  const heard = new Set(told)
  const counts = new Map<string, number>()
  const offered: Fed[] = []
  const begun: LaneRow[] = []
  for (const event of reading.events) {
    const queue = queueOf(event)
    const count = counts.get(queue) ?? 0
    if (late.has(queue) || count >= MOST_OF_QUEUE) {
      if (!laned.has(queue)) begun.push({ ...reading.lane, queue, sequence: event.sequence - 1 })
      laned.add(queue)
      late.add(queue)
    } else if (isTold(event, heard)) {
      counts.set(queue, count + 1)
      offered.push({ event, queue, again: false })
      if (offered.length > MOST_EVENTS) break
    }
  }
  return { reading, offered, begun }
}

/** What is wanted once more. What was not given a row in its order yet comes in its order. */
function sinceSource(reading: Reading, { lanes }: Standing): Source {
  const { chain_id } = reading.lane
  const places = new Map(lanes.filter((lane) => lane.chain_id === chain_id).map((lane) => [lane.queue, lane]))
  const main = places.get(MAIN)?.sequence ?? Number.POSITIVE_INFINITY
  const offered = reading.events
    .filter((event) => event.sequence <= Math.min(main, places.get(queueOf(event))?.sequence ?? main))
    .map((event) => ({ event, queue: againQueue(event.chainId, event.sequence), again: true }))
  return { reading, offered, begun: [] }
}

/** A retraction is only for who may have heard what it takes back: that has a row, or gets one before it. */
function isTold(event: LoggedEvent, heard: Set<string>): boolean {
  heard.add(event.id)
  return event.type !== 'retracted' || event.facts.ids.some((id) => heard.has(id))
}
