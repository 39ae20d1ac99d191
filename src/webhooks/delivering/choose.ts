import type { LoggedEvent } from '../../core/ports/events.ts'
import { type Claim, grouped } from './claims.ts'
import { queueOf } from './Listeners.ts'
import { AGAIN, MAIN } from './Router.ts'
import { FAILURES_TO_PAUSE } from './retries.ts'
import type { LaneRow, Page, PendingRow, Reads, Standing } from './standings.ts'

/** Events of one endpoint in one turn. Then others have theirs. */
const MOST_EVENTS = 20
/** Of one queue. What follows waits in a lane of its own, so that one busy subscription holds up no other. */
const MOST_OF_QUEUE = 5
/** With more queues that are late, the main cursor waits. So the store stays small. */
const MOST_LATE = 1_000

/** Something to be sent: a row that waits, or with `event` what gets one now. */
export interface Item {
  readonly chainId: number
  readonly sequence: number
  readonly queue: string
  readonly again: boolean
  readonly event?: LoggedEvent
}

/** What is left for a later turn. */
export interface Rest {
  /** Since when what could be sent at once is there, in unix milliseconds; `undefined` where nothing could. */
  readonly since: number | undefined
  /** The same for queues with a lane of their own, unless they fail in this turn. */
  readonly late: ReadonlyMap<string, number>
  /** Whether to look again a little later. */
  readonly soon: boolean
}

export interface Choice {
  readonly claim: Claim
  /** In the order in which they are sent. */
  readonly items: readonly Item[]
  readonly moved: readonly LaneRow[]
  readonly ended: readonly LaneRow[]
  readonly rest: Rest
}

/**
 * Chooses what an endpoint is sent now. Rows that wait, lanes and chains take turns.
 * @param without chains whose events cannot be sent now
 */
export function choose(reads: Reads, standing: Standing, without: ReadonlySet<number>): Choice {
  return new Choosing(reads, standing, without).choose()
}

interface Reading {
  readonly lane: LaneRow
  readonly page: Page
}

class Choosing {
  readonly #reads: Reads
  readonly #standing: Standing
  readonly #without: ReadonlySet<number>
  readonly #most: number
  readonly #items: Item[] = []
  readonly #counts = new Map<string, number>()
  /** Ids and places of the events among the items. */
  readonly #sent = new Set<string>()
  readonly #taken = new Set<string>()
  /** Queues whose first row waits for its next attempt. */
  readonly #held: ReadonlySet<string>
  /** Queues that are late, as they will be, and since when what they lead to is there. */
  readonly #late = new Map<string, LaneRow>()
  readonly #since = new Map<string, number>()
  readonly #moved: LaneRow[] = []
  readonly #ended: LaneRow[] = []
  readonly #ready: number[] = []
  #soon = false

  constructor(reads: Reads, standing: Standing, without: ReadonlySet<number>) {
    this.#reads = reads
    this.#standing = standing
    this.#without = without
    // Of one that keeps failing one request is made, and no more rows than that.
    this.#most = standing.claim.endpoint.failures >= FAILURES_TO_PAUSE ? 1 : MOST_EVENTS
    this.#held = new Set(standing.pending.filter((row) => row.next_at > reads.now).map(({ queue }) => queue))
    for (const lane of standing.lanes.filter(isLate)) {
      this.#late.set(lane.queue, lane)
      this.#since.set(lane.queue, 0)
    }
  }

  choose(): Choice {
    const { claim, lanes, pending } = this.#standing
    const readings = lanes.flatMap((lane) => {
      const page = this.#without.has(lane.chain_id) ? undefined : this.#reads.pages.get(lane)
      return page === undefined ? [] : [{ lane, page }]
    })
    const cursors = readings.filter(({ lane }) => !isLate(lane)).toSorted(mainsFirst)
    const waiting = grouped(
      pending.filter(({ queue }) => !this.#held.has(queue)),
      ({ queue }) => queue,
    )
    const late = readings.flatMap(({ lane, page }) =>
      isLate(lane) ? [{ lane, page, events: this.#told(page.events) }] : [],
    )
    this.#takeTurns(
      [
        ...[...waiting.values()].map((rows) => rows.slice(0, MOST_OF_QUEUE).map(rowItem)),
        ...late.map(({ events }) => events.slice(0, MOST_OF_QUEUE).map(eventItem)),
      ],
      cursors.length,
    )
    // What of a queue is left waiting comes before all that the log has of it.
    const left = new Set(
      [...waiting].flatMap(([queue, rows]) => (rows.length > this.#countOf(queue) ? [queue] : [])),
    )
    for (const one of late) this.#moveLate(one, one.events[this.#countOf(one.lane.queue)])
    const mains = new Map(
      lanes.flatMap((lane) => (lane.queue === MAIN ? [[lane.chain_id, lane.sequence]] : [])),
    )
    for (const [place, reading] of cursors.entries()) {
      const share = Math.ceil((this.#most - this.#items.length) / (cursors.length - place))
      const room = this.#items.length + share
      if (reading.lane.queue === AGAIN) this.#readAgain(reading, room, mains.get(reading.lane.chain_id))
      else mains.set(reading.lane.chain_id, this.#readMain(reading, room, left))
    }
    return { claim, items: this.#items, ...this.#lanesAfter(), rest: this.#rest() }
  }

  /** Takes one of each, again and again, with the chains in turns, and leaves the cursors their part. */
  #takeTurns(sources: readonly (readonly Item[])[], cursors: number): void {
    const share = Math.max(1, Math.floor(this.#most / (cursors + sources.length)))
    const room = Math.max(1, this.#most - share * cursors)
    const byChain = [...grouped(sources, ([item]) => item?.chainId).values()]
    for (const item of alternating(alternating(byChain))) {
      if (this.#items.length < room) this.#add(item)
    }
  }

  /** A late lane ends where it has caught up. @param next what of it was not taken */
  #moveLate({ lane, page }: Reading, next: LoggedEvent | undefined): void {
    if (next === undefined && page.next >= page.until) {
      this.#late.delete(lane.queue)
      this.#since.delete(lane.queue)
      return
    }
    const sequence = next === undefined ? page.next : next.sequence - 1
    this.#late.set(lane.queue, { ...lane, sequence })
    this.#since.set(lane.queue, timeOf(next))
    if (next !== undefined || sequence > lane.sequence) return
    // What follows is not sure enough yet.
    this.#since.delete(lane.queue)
    this.#soon = true
  }

  /** Takes what the main cursor leads to, and passes over queues that are late. Resolves with where it is then. */
  #readMain({ lane, page }: Reading, room: number, left: ReadonlySet<string>): number {
    let at = lane.sequence
    for (const event of page.events) {
      const queue = queueOf(event)
      // Then it waits until some of them are done.
      if (this.#late.size + this.#standing.pending.length >= MOST_LATE) return this.#move(lane, at)
      const isBehind =
        this.#late.has(queue) ||
        this.#held.has(queue) ||
        left.has(queue) ||
        this.#countOf(queue) >= MOST_OF_QUEUE
      if (isBehind && !this.#late.has(queue)) {
        this.#late.set(queue, { ...lane, queue, sequence: event.sequence - 1 })
        this.#since.set(queue, timeOf(event))
      }
      if (!isBehind && this.#isTold(event, this.#sent)) {
        if (this.#items.length >= room) {
          this.#ready.push(timeOf(event))
          return this.#move(lane, at)
        }
        this.#add(eventItem(event))
      }
      at = event.sequence
    }
    at = Math.max(at, page.next)
    if (at < page.until) {
      // A page has passed, or what follows is not sure enough yet.
      if (at > lane.sequence) this.#ready.push(timeOf(page.events.at(-1)))
      else this.#soon = true
      return this.#move(lane, at)
    }
    // Beyond the router, it waits for the router. So it does where the router does not know the endpoint yet.
    if (lane.sequence > page.until) return at
    const { endpoint } = this.#standing.claim
    const route = this.#reads.routes.find(
      (one) => one.chain_id === lane.chain_id && one.finality === endpoint.finality,
    )
    if ((route?.version ?? 0) >= endpoint.version) this.#ended.push({ ...lane, sequence: at })
    else {
      this.#soon = true
      this.#move(lane, at)
    }
    return at
  }

  /** Takes what is wanted once more. What was not sent in its order yet comes in its order. */
  #readAgain({ lane, page }: Reading, room: number, main = Number.POSITIVE_INFINITY): void {
    let at = lane.sequence
    for (const event of page.events) {
      const behind = Math.min(main, this.#late.get(queueOf(event))?.sequence ?? main)
      if (event.sequence <= behind && !this.#taken.has(againQueue(event.chainId, event.sequence))) {
        if (this.#items.length >= room) {
          this.#ready.push(timeOf(event))
          this.#move(lane, at)
          return
        }
        // A queue of its own: it waits for nothing, and nothing waits for it.
        this.#add({ ...eventItem(event), again: true, queue: againQueue(event.chainId, event.sequence) })
      }
      at = event.sequence
    }
    if (page.next >= page.until || !page.hasMore) this.#ended.push(lane)
    else {
      this.#ready.push(timeOf(page.events.at(-1)))
      this.#move(lane, page.next)
    }
  }

  #move(lane: LaneRow, sequence: number): number {
    if (sequence > lane.sequence) this.#moved.push({ ...lane, sequence })
    return sequence
  }

  #lanesAfter(): Pick<Choice, 'moved' | 'ended'> {
    const before = this.#standing.lanes.filter(isLate)
    const known = new Map(before.map((lane) => [lane.queue, lane.sequence]))
    return {
      moved: [
        ...this.#moved,
        ...[...this.#late.values()].filter(({ queue, sequence }) => known.get(queue) !== sequence),
      ],
      ended: [...this.#ended, ...before.filter(({ queue }) => !this.#late.has(queue))],
    }
  }

  #rest(): Rest {
    for (const [queue, { chain_id }] of this.#late) {
      // Its row says when it goes on.
      if (this.#held.has(queue) || this.#without.has(chain_id)) this.#since.delete(queue)
    }
    const isCutOff = this.#standing.lanes.some(({ chain_id }) => this.#without.has(chain_id))
    const since = this.#ready.length === 0 ? undefined : Math.min(...this.#ready)
    return { since, late: this.#since, soon: this.#soon || isCutOff }
  }

  #add(item: Item): void {
    this.#items.push(item)
    this.#counts.set(item.queue, this.#countOf(item.queue) + 1)
    if (item.event === undefined) return
    this.#sent.add(item.event.id)
    this.#taken.add(againQueue(item.chainId, item.sequence))
  }

  #countOf(queue: string): number {
    return this.#counts.get(queue) ?? 0
  }

  /** Events of one queue, without retractions of what nobody heard. */
  #told(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
    const before = new Set<string>()
    return events.filter((event) => {
      before.add(event.id)
      return this.#isTold(event, before)
    })
  }

  /** A retraction is only for who may have heard what it takes back: that has a row, or gets one before it. */
  #isTold(event: LoggedEvent, before: ReadonlySet<string>): boolean {
    if (event.type !== 'retracted') return true
    const { id } = this.#standing.claim.endpoint
    return event.facts.ids.some((one) => this.#reads.told.has(`${id} ${one}`) || before.has(one))
  }
}

/** The first of each, then the second of each, and so on. */
function alternating<Row>(lists: readonly (readonly Row[])[]): readonly Row[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list.slice(place, place + 1)),
  ).flat()
}

function isLate({ queue }: LaneRow): boolean {
  return queue !== MAIN && queue !== AGAIN
}

function mainsFirst(one: Reading, other: Reading): number {
  return Number(one.lane.queue === AGAIN) - Number(other.lane.queue === AGAIN)
}

/** Of an event, when its block was made; without one, always. */
function timeOf(event: LoggedEvent | undefined): number {
  return (event?.block.timestamp ?? 0) * 1_000
}

function rowItem({ chain_id: chainId, sequence, queue }: PendingRow): Item {
  return { chainId, sequence, queue, again: false }
}

function eventItem(event: LoggedEvent): Item {
  const { chainId, sequence } = event
  return { chainId, sequence, queue: queueOf(event), again: false, event }
}

export function againQueue(chainId: number, sequence: number): string {
  return `again ${chainId} ${sequence}`
}
