import { groupBy } from '@remit/engine/indexing/groupBy'
import type { EventFilters, EventLog } from '@remit/engine/ports/events'
import type { Selectable } from 'kysely'
import type { WebhookRoutesTable } from '../../store/tables.ts'
import { concerns, filtersOf, type Listener, matches, queueOf } from './Listeners.ts'
import type { CursorRead } from './planRows.ts'
import { PAGE, type RecentLog } from './Router.ts'
import { alternating, type CursorRow, kindOf } from './rows.ts'

// Reads what the cursors of endpoints lead to. A cursor says up to which sequence of a chain's log an endpoint's events have deliveries
// ("rows"). The main cursor of a chain follows the log to its end, which is the route: how far the router has read it. Where a queue still
// has earlier events to send, the main cursor passes over its new ones, and a late cursor of that queue alone leads to them. A since cursor
// reads again what the owner wants once more. So late and since cursors read only what the main one has passed. `rows.ts` has all words.

/** Late cursors of an endpoint that are read in one turn, from its chains in turn. */
const MOST_READ = 4

interface ReadOptions {
  readonly events: Pick<EventLog, 'read'>
  readonly recent: RecentLog
  readonly routes: readonly Selectable<WebhookRoutesTable>[]
  /** Called for a chain whose log cannot be read: only its events wait. */
  readonly onUnreadable: (chainId: number, error: unknown) => void
}

/** An endpoint with its cursors, the oldest first. */
interface Owner {
  readonly listener: Listener
  readonly cursors: readonly CursorRow[]
  /** Queues with rows that wait: their cursors wait for these. */
  readonly waiting: ReadonlySet<string>
}

/** Reads the events that the cursors of claimed endpoints lead to, for `planRows`. The end of a log is read once for all endpoints. */
export async function readCursors(
  options: ReadOptions,
  owners: readonly Owner[],
): Promise<ReadonlyMap<CursorRow, CursorRead>> {
  const readings = new Map<CursorRow, CursorRead>()
  const unreadable = new Set<number>()
  const read = async (owner: Owner, cursor: CursorRow) => {
    if (unreadable.has(cursor.chain_id)) return
    try {
      readings.set(cursor, await readCursor(options, owner, cursor))
    } catch (error) {
      if (!unreadable.has(cursor.chain_id)) options.onUnreadable(cursor.chain_id, error)
      unreadable.add(cursor.chain_id)
    }
  }
  // Near the end of a log they are read one after the other, so that what the first one reads is there for all.
  const near = owners.flatMap((owner) =>
    owner.cursors.filter((cursor) => isNearEnd(options, owner, cursor)).map((cursor) => ({ owner, cursor })),
  )
  for (const { owner, cursor } of near.toSorted(
    (one, other) => one.cursor.sequence - other.cursor.sequence,
  )) {
    await read(owner, cursor)
  }
  // All others read pages of their own, so endpoints need not wait for each other. A late queue with rows that still wait is left out: its
  // cursor waits for these.
  await Promise.all(
    owners.map(async (owner) => {
      const far = owner.cursors.filter(
        (cursor) => kindOf(cursor) === 'main' && !isNearEnd(options, owner, cursor),
      )
      const since = owner.cursors.filter((cursor) => kindOf(cursor) === 'since')
      const late = owner.cursors.filter(
        (cursor) => kindOf(cursor) === 'late' && !owner.waiting.has(cursor.queue),
      )
      const byChain = alternating(groupBy(late, (cursor) => cursor.chain_id).values())
      for (const cursor of [...far, ...since, ...byChain.slice(0, MOST_READ)]) await read(owner, cursor)
    }),
  )
  return readings
}

/** How far the router is in the log that a cursor reads. */
function routeOf({ routes }: ReadOptions, { listener: { finality } }: Owner, { chain_id }: CursorRow) {
  return routes.find((one) => one.chain_id === chain_id && one.finality === finality)
}

/** Whether it is a main cursor from which one page reaches the router. */
function isNearEnd(options: ReadOptions, owner: Owner, cursor: CursorRow): boolean {
  return (
    kindOf(cursor) === 'main' && cursor.sequence >= (routeOf(options, owner, cursor)?.sequence ?? 0) - PAGE
  )
}

async function readCursor(options: ReadOptions, owner: Owner, cursor: CursorRow): Promise<CursorRead> {
  const { events, recent } = options
  const { listener, cursors } = owner
  const { chain_id: chainId, queue, sequence: after } = cursor
  const { finality } = listener
  const kind = kindOf(cursor)
  const route = routeOf(options, owner, cursor)
  const main = cursors.find((one) => one.chain_id === chainId && kindOf(one) === 'main')
  const end = route?.sequence ?? 0
  // The others read only what the main cursor has passed.
  const passed = main?.sequence ?? end
  const until = kind === 'main' ? end : Math.min(cursor.until_sequence ?? passed, passed)
  // Whether the router has read the endpoint's settings since they changed last. Until then it may not wake the endpoint for what it hears,
  // so `planRows` must not end the main cursor.
  const bounds = { cursor, until, isKnown: (route?.version ?? 0) >= listener.version }
  if (after >= until) return { ...bounds, events: [], next: after, hasMore: false }
  const filters = (kind === 'late' ? subscriptionOf(queue) : undefined) ?? filtersOf(listener)
  const page = isNearEnd(options, owner, cursor)
    ? await recent.read(chainId, finality, after)
    : await events.read(chainId, { after, first: PAGE, filters, finality })
  // A since cursor also reads events from before the endpoint began to hear.
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
