import type { LoggedEvent } from '@remit/engine/ports/events'
import { queueOf } from './Listeners.ts'
import { againQueue, type CursorRow, kindOf, MAIN_QUEUE } from './rows.ts'

// `rows.ts` explains the words: row, queue, cursor (main, late, since; ended), route, woken.

/**
 * The most events of one queue that get rows at a time. Later ones wait behind a cursor of its own, so that one busy
 * subscription holds up no other.
 */
const MOST_OF_QUEUE = 5
/**
 * The most late queues of a chain: those with a cursor of their own, or with rows that wait. With more of them its main
 * cursor waits, so that the store stays small.
 */
const MOST_LATE = 1_000

/** A page of the log behind a cursor: the events of it that the cursor's endpoint hears. */
export interface CursorRead {
  readonly cursor: CursorRow
  readonly events: readonly LoggedEvent[]
  /** The sequence up to which the log was looked at; `until` at most, unless the cursor itself is beyond that. */
  readonly next: number
  /** The sequence up to which this cursor may read: for a main cursor the route's, for the others that of the main cursor or their own end. */
  readonly until: number
  /** Whether the log has more behind this page. */
  readonly hasMore: boolean
  /** Whether the router knows the endpoint as it is. Until then, the endpoint's cursor stays, so that it reads for itself. */
  readonly isKnown: boolean
}

/** What is known of an endpoint: its cursors, and what was read from each. Both are empty where enough rows wait already. */
export interface RowPlanInput {
  readonly cursors: readonly CursorRow[]
  readonly readings: readonly CursorRead[]
  /** Queues with rows that wait. */
  readonly waiting: ReadonlySet<string>
  /** Ids of the events with a row, among those that retractions take back. */
  readonly alreadySent: ReadonlySet<string>
  /** The most events that each cursor gives rows to. */
  readonly most: number
}

/** An event that gets a row. */
interface NewRow {
  readonly event: LoggedEvent
  readonly queue: string
  /** Whether it is sent even if it was sent before: the owner asked for it. */
  readonly again: boolean
}

/** Which events get rows, and where that leaves the cursors. */
export interface RowPlan {
  readonly newRows: readonly NewRow[]
  /** Cursors with new places, and new ones of queues that have become late. */
  readonly moved: readonly CursorRow[]
  /** Cursors with nothing left, to be deleted. */
  readonly ended: readonly CursorRow[]
  /** When the oldest event that was read and gets no row now happened, in unix milliseconds; `Infinity` where each gets one. */
  readonly leftSince: number
}

/**
 * Decides which of the events that an endpoint's cursors lead to get rows, and where that leaves the cursors: first those of late
 * queues, then what is new on each chain, then what is wanted once more. It is pure; `takeWork` reads and writes.
 */
export function planRows({ cursors, readings, waiting, alreadySent, most }: RowPlanInput): RowPlan {
  const newRows: NewRow[] = []
  const moved: CursorRow[] = []
  const ended: CursorRow[] = []
  let leftSince = Number.POSITIVE_INFINITY
  const withCursor = new Set(cursors.map(({ queue }) => queue))
  // The queues whose events a main cursor passes over, because earlier events of the queue have no row yet or wait to be sent.
  const late = new Set([...withCursor, ...waiting])
  /**
   * Gives the first `count` of the offered events rows, and returns the cursor's new sequence: just before the first event that is
   * left, or where the page ends.
   * @param isOver whether the cursor ends, if no offered event is left
   */
  function giveRows(
    { cursor, next }: CursorRead,
    offered: readonly NewRow[],
    count: number,
    isOver: boolean,
  ): number {
    newRows.push(...offered.slice(0, count))
    const firstLeft = offered[count]?.event
    const sequence = firstLeft === undefined ? Math.max(cursor.sequence, next) : firstLeft.sequence - 1
    if (firstLeft !== undefined) leftSince = Math.min(leftSince, firstLeft.block.timestamp * 1_000)
    if (firstLeft === undefined && isOver) ended.push({ ...cursor, sequence })
    else if (sequence > cursor.sequence) moved.push({ ...cursor, sequence })
    return sequence
  }
  for (const reading of readings.filter(({ cursor }) => kindOf(cursor) === 'late')) {
    const { queue } = reading.cursor
    const heard = new Set(alreadySent)
    const events = reading.events.filter((event) => isTold(event, heard))
    // Only with nothing left: from now on the main cursor gives this queue its rows.
    const isOver = events.length === 0 && reading.next >= reading.until
    if (isOver) for (const queues of [withCursor, late]) queues.delete(queue)
    giveRows(
      reading,
      events.map((event) => ({ event, queue, again: false })),
      Math.min(most, MOST_OF_QUEUE),
      isOver,
    )
  }
  for (const reading of readings.filter(({ cursor }) => kindOf(cursor) === 'main')) {
    const { cursor, next, until, isKnown } = reading
    if (countOf(late, cursor.chain_id) >= MOST_LATE) continue
    const heard = new Set(alreadySent)
    const counts = new Map<string, number>()
    const offered: NewRow[] = []
    const newCursors: CursorRow[] = []
    for (const event of reading.events) {
      // One more than get rows: it says where the cursor stops.
      if (offered.length > most) break
      const queue = queueOf(event)
      const count = counts.get(queue) ?? 0
      if (late.has(queue) || count >= MOST_OF_QUEUE) {
        // The queue is late, or becomes it: this event and all later ones of it wait behind a cursor of its own.
        if (!withCursor.has(queue)) newCursors.push({ ...cursor, queue, sequence: event.sequence - 1 })
        for (const queues of [withCursor, late]) queues.add(queue)
      } else if (isTold(event, heard)) {
        counts.set(queue, count + 1)
        offered.push({ event, queue, again: false })
      }
    }
    // A main cursor beyond the route stays: a router added it after the route was read, for an event that is not read yet.
    const isOver = next >= until && isKnown && cursor.sequence <= until
    const sequence = giveRows(reading, offered, most, isOver)
    // Only for events that the main cursor has passed. It reads the others again, and makes their cursors then.
    moved.push(...newCursors.filter((one) => one.sequence < sequence))
  }
  for (const reading of readings.filter(({ cursor }) => kindOf(cursor) === 'since')) {
    const { cursor, events, next, until, hasMore } = reading
    const sequences = new Map(
      cursors.filter(({ chain_id }) => chain_id === cursor.chain_id).map((one) => [one.queue, one.sequence]),
    )
    const main = sequences.get(MAIN_QUEUE) ?? Number.POSITIVE_INFINITY
    // Only events that the main cursor, or that of their late queue, has passed: the others get their first row from these anyway.
    const heard = new Set(alreadySent)
    const passed = events.filter(
      (event) =>
        event.sequence <= Math.min(main, sequences.get(queueOf(event)) ?? main) && isTold(event, heard),
    )
    const offered = passed.map((event) => {
      return { event, queue: againQueue(event.chainId, event.sequence), again: true }
    })
    const isOver = next >= until || !hasMore
    giveRows(reading, offered, most, isOver)
  }
  return { newRows, moved, ended, leftSince }
}

/** How many of these queues are of a chain. */
function countOf(queues: ReadonlySet<string>, chainId: number): number {
  return [...queues].filter((queue) => queue.startsWith(`${chainId} `)).length
}

/** Adds an event to `heard`, and says whether to send it: a retraction only if an event that it takes back has a row, or gets one. */
function isTold(event: LoggedEvent, heard: Set<string>): boolean {
  heard.add(event.id)
  return event.type !== 'retracted' || event.facts.ids.some((id) => heard.has(id))
}
