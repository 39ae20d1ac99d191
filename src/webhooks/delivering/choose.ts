import type { LoggedEvent } from '../../core/ports/events.ts'
import type { Claim } from './claims.ts'
import { type Item, isMain, isSince, type LaneRow, type Page, type Reads, type Standing } from './lanes.ts'
import { FAILURES_TO_PAUSE } from './retries.ts'
import { againQueue, alternating, grouped } from './rows.ts'

/** Events of one endpoint in one turn. Then others have theirs. */
const MOST_EVENTS = 20
/** Of one queue. What follows waits in a lane of its own, so that one busy subscription holds up no other. */
const MOST_OF_QUEUE = 5
/** With more lanes, the main cursors wait. So the store stays small. */
const MOST_LANES = 1_000
/** When to look again for what cannot be read yet. */
const SOON_MS = 1_000

export interface Choice {
  readonly claim: Claim
  /** In the order in which they are sent. */
  readonly items: readonly Item[]
  /** The lanes as they are when all of it has been delivered. */
  readonly moved: readonly LaneRow[]
  readonly ended: readonly LaneRow[]
}

/**
 * Chooses what an endpoint is sent now. Its queues, cursors and chains take turns.
 * @param without chains whose events cannot be sent now
 */
export function choose(reads: Reads, standing: Standing, without: ReadonlySet<number>): Choice {
  return new Choosing(reads, standing, without).choose()
}

interface Readable {
  readonly lane: LaneRow
  readonly page: Page
}

class Choosing {
  readonly #reads: Reads
  readonly #standing: Standing
  readonly #readable: readonly Readable[]
  readonly #most: number
  readonly #now = Date.now()
  readonly #items: Item[] = []
  readonly #counts = new Map<string, number>()
  /** Ids and places of what is sent in this turn. */
  readonly #sent = new Set<string>()
  /** Queues that have a lane of their own. */
  readonly #late: Map<string, LaneRow>
  readonly #moved: LaneRow[] = []
  readonly #ended: LaneRow[] = []

  constructor(reads: Reads, standing: Standing, without: ReadonlySet<number>) {
    this.#reads = reads
    this.#standing = standing
    // Of one that keeps failing one request is made, and no more rows than that.
    this.#most = standing.claim.endpoint.failures >= FAILURES_TO_PAUSE ? 1 : MOST_EVENTS
    this.#late = new Map(standing.lanes.filter((lane) => !isCursor(lane)).map((lane) => [lane.queue, lane]))
    this.#readable = standing.lanes.flatMap((lane) => {
      const page = without.has(lane.chain_id) ? undefined : reads.pages.get(lane)
      if (page === undefined && without.has(lane.chain_id)) this.#soon(lane)
      return page === undefined ? [] : [{ lane, page }]
    })
  }

  choose(): Choice {
    const cursors = this.#readable.filter(({ lane }) => isCursor(lane))
    const late = this.#readable
      .filter(({ lane }) => !isCursor(lane))
      .map(({ lane, page }) => ({ lane, page, items: this.#told(page.items) }))
    const sources = late.map(({ items }) => items.slice(0, MOST_OF_QUEUE))
    const share = Math.max(1, Math.floor(this.#most / (cursors.length + sources.length)))
    const room = Math.max(1, this.#most - share * cursors.length)
    const byChain = alternating(grouped(sources, ([item]) => item?.chainId).values())
    for (const item of alternating(byChain)) if (this.#items.length < room) this.#add(item)
    for (const one of late) this.#moveLate(one, one.items[this.#countOf(one.lane.queue)])
    const places = new Map(this.#standing.lanes.filter(isMain).map((lane) => [lane.chain_id, lane.sequence]))
    for (const [place, reading] of cursors.toSorted(mainsFirst).entries()) {
      const most =
        this.#items.length + Math.ceil((this.#most - this.#items.length) / (cursors.length - place))
      if (isMain(reading.lane)) this.#readMain(reading, most)
      else this.#readSince(reading, most, places.get(reading.lane.chain_id))
    }
    return { claim: this.#standing.claim, items: this.#items, moved: this.#moved, ended: this.#ended }
  }

  /** A lane ends where it has caught up. @param next what of it was not taken */
  #moveLate({ lane, page }: Readable, next: Item | undefined): void {
    if (next !== undefined) this.#move(lane, next.sequence - 1)
    else if (page.next < page.until) this.#moveOn(lane, page.next)
    else {
      this.#ended.push(lane)
      this.#late.delete(lane.queue)
    }
  }

  /** Takes what the main cursor leads to. It passes over queues that are late, and leaves a lane there where one begins. */
  #readMain({ lane, page }: Readable, most: number): void {
    const { endpoint } = this.#standing.claim
    let at = lane.sequence
    for (const item of page.items) {
      const { queue, sequence, event } = item
      // Woken when one of them has ended.
      if (this.#late.size >= MOST_LANES) {
        this.#move(lane, at, null)
        return
      }
      if (!this.#late.has(queue) && this.#countOf(queue) >= MOST_OF_QUEUE) {
        const begun = { ...lane, queue, sequence: sequence - 1, next_at: this.#now }
        this.#late.set(queue, begun)
        this.#moved.push(begun)
      }
      if (!this.#late.has(queue) && this.#isTold(event, this.#sent)) {
        if (this.#items.length >= most) {
          this.#move(lane, at, Math.min(timeOf(event), this.#now))
          return
        }
        this.#add(item)
      }
      at = sequence
    }
    at = Math.max(at, page.next)
    // Beyond the router, it waits for the router.
    if (lane.sequence > page.until) {
      this.#move(lane, at, null)
      return
    }
    if (at < page.until) {
      this.#moveOn(lane, at)
      return
    }
    const { chain_id, finality } = { ...lane, finality: endpoint.finality }
    const route = this.#reads.routes.find((one) => one.chain_id === chain_id && one.finality === finality)
    // Until the router knows the endpoint, it reads for itself.
    if ((route?.version ?? 0) >= endpoint.version) this.#ended.push({ ...lane, sequence: at })
    else this.#move(lane, at, this.#now + SOON_MS)
  }

  /** Takes what is wanted once more. What was not sent in its order yet comes in its order. */
  #readSince({ lane, page }: Readable, most: number, main = Number.POSITIVE_INFINITY): void {
    let at = lane.sequence
    for (const item of page.items) {
      const queue = againQueue(item.chainId, item.sequence)
      const isPassed = item.sequence <= Math.min(main, this.#late.get(item.queue)?.sequence ?? main)
      if (isPassed && !this.#sent.has(queue)) {
        if (this.#items.length >= most) {
          this.#move(lane, at)
          return
        }
        this.#add({ ...item, queue, again: true })
      }
      at = item.sequence
    }
    if (page.next >= page.until || !page.hasMore) this.#ended.push(lane)
    else this.#moveOn(lane, page.next)
  }

  #move(lane: LaneRow, sequence: number, next_at: number | null = this.#now): void {
    const moved = { ...lane, sequence, next_at }
    this.#moved.push(moved)
    if (!isCursor(lane)) this.#late.set(lane.queue, moved)
  }

  /** Past a page with more behind it; where it was at its end already, what follows is not sure enough yet. */
  #moveOn(lane: LaneRow, sequence: number): void {
    this.#move(lane, sequence, sequence > lane.sequence ? this.#now : this.#now + SOON_MS)
  }

  #soon(lane: LaneRow): void {
    if (lane.next_at !== null && lane.next_at <= this.#now)
      this.#move(lane, lane.sequence, this.#now + SOON_MS)
  }

  #add(item: Item): void {
    this.#items.push(item)
    this.#counts.set(item.queue, this.#countOf(item.queue) + 1)
    this.#sent.add(againQueue(item.chainId, item.sequence))
    if (item.event !== undefined) this.#sent.add(item.event.id)
  }

  #countOf(queue: string): number {
    return this.#counts.get(queue) ?? 0
  }

  /** Items of one queue, without retractions of what nobody heard. */
  #told(items: readonly Item[]): readonly Item[] {
    const before = new Set<string>()
    return items.filter(({ event }) => {
      if (event !== undefined) before.add(event.id)
      return this.#isTold(event, before)
    })
  }

  /** A retraction is only for who may have heard what it takes back: that has a row, or gets one before it. */
  #isTold(event: LoggedEvent | undefined, before: ReadonlySet<string>): boolean {
    if (event?.type !== 'retracted') return true
    const { id } = this.#standing.claim.endpoint
    return event.facts.ids.some((one) => this.#reads.told.has(`${id} ${one}`) || before.has(one))
  }
}

/** Whether a lane leads through queues, instead of being one. */
function isCursor(lane: LaneRow): boolean {
  return isMain(lane) || isSince(lane)
}

function mainsFirst(one: Readable, other: Readable): number {
  return Number(isSince(one.lane)) - Number(isSince(other.lane))
}

/** When its block was made, in unix milliseconds. */
function timeOf(event: LoggedEvent | undefined): number {
  return (event?.block.timestamp ?? 0) * 1_000
}
