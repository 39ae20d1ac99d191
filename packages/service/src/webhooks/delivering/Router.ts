import {
  type EventLog,
  type EventPage,
  FINALITIES,
  type Finality,
  type LoggedEvent,
} from '@remit/engine/ports/events'
import type { Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import { wakeEndpoints } from './claims.ts'
import { Listeners, toListener } from './Listeners.ts'
import { chunksOf, MAIN_QUEUE } from './rows.ts'

// `rows.ts` explains the words: endpoint, cursor, route, woken. After the router: how routes and main cursors begin, and the newest
// events in memory.

/**
 * Wakes the endpoints that hear something new: it reads each event of a chain's log once for each finality, that is, how sure an event
 * must be for an endpoint to hear it.
 * A woken endpoint without a main cursor gets one, just before the first event that it hears. This is written together with the route,
 * if that is still where it was read: so any number of routers may do it at the same time, and be killed at any moment.
 */
export class Router {
  readonly #store: Store
  readonly #log: EventLog
  readonly #recent: RecentLog
  #known: { readonly version: number; readonly listeners: Listeners } | undefined

  constructor(store: Store, events: EventLog, recent: RecentLog) {
    this.#store = store
    this.#log = events
    this.#recent = recent
  }

  /** Looks at what is new on a chain, a page for each finality. Resolves with whether there was anything: then there may be more. */
  async route(chainId: number): Promise<boolean> {
    // The first thing that is read: the route gets this version below. An endpoint that is made or changed from here on has a later one,
    // by which `readCursors` knows that its main cursor must stay until the router hears for it.
    const { version, listeners } = await this.#listeners()
    const routes = await this.#store.db
      .selectFrom('webhook_routes')
      .select(['finality', 'sequence', 'version'])
      .where('chain_id', '=', chainId)
      .execute()
    const isEmpty = (await this.#log.state(chainId)) === undefined
    let moved = false
    for (const finality of FINALITIES) {
      const route = routes.find((one) => one.finality === finality)
      if (route === undefined && !listeners.finalities.has(finality)) continue
      const after = route?.sequence ?? 0
      const { events, next } = isEmpty
        ? { events: [], next: after }
        : await this.#recent.read(chainId, finality, after)
      // Nothing new, neither in the log nor among the endpoints.
      if (route !== undefined && next === after && version <= route.version) continue
      // By endpoint, the sequence before the first event that it hears.
      const cursorStarts = new Map<string, number>()
      for (const event of events) {
        for (const { id } of listeners.hearing(event, finality)) {
          if (!cursorStarts.has(id)) cursorStarts.set(id, event.sequence - 1)
        }
      }
      await this.#store.transaction(async (db) => {
        if (route === undefined) await beginRoute(db, chainId, finality, 0)
        const { numUpdatedRows } = await db
          .updateTable('webhook_routes')
          .set({ sequence: next, version })
          .where('chain_id', '=', chainId)
          .where('finality', '=', finality)
          .where('sequence', '=', after)
          .where('version', '<=', version)
          .executeTakeFirst()
        // Another router has moved the route meanwhile, and has woken the endpoints with that.
        if (numUpdatedRows === 0n) return
        const existing = await wakeEndpoints(db, this.#store.kind, [...cursorStarts.keys()])
        const starts = existing.map((id) => [id, cursorStarts.get(id) ?? after] as const)
        await beginMainCursors(db, chainId, new Map(starts))
      })
      moved = true
    }
    return moved
  }

  /** What all endpoints hear, read again after each change of one. */
  async #listeners(): Promise<{ version: number; listeners: Listeners }> {
    const { version } = await readVersion(this.#store.db)
    if (this.#known?.version === version) return this.#known
    this.#known = await this.#store.snapshot(async (db) => ({
      ...(await readVersion(db)),
      listeners: new Listeners(
        (await db.selectFrom('webhook_endpoints').selectAll().execute()).map(toListener),
      ),
    }))
    return this.#known
  }
}

function readVersion(db: Pick<Transaction<Tables>, 'selectFrom'>): Promise<{ version: number }> {
  return db.selectFrom('webhook_service').select('version').where('id', '=', 1).executeTakeFirstOrThrow()
}

/** Begins the route of a chain and finality at a sequence, unless there is one. */
export async function beginRoute(
  db: Transaction<Tables>,
  chainId: number,
  finality: string,
  sequence: number,
): Promise<void> {
  await db
    .insertInto('webhook_routes')
    .values({ chain_id: chainId, finality, sequence, version: 0 })
    .onConflict((row) => row.doNothing())
    .execute()
}

/** Gives a main cursor to those of these endpoints that have none on the chain. @param starts by endpoint, the sequence after which it reads */
export async function beginMainCursors(
  db: Transaction<Tables>,
  chainId: number,
  starts: ReadonlyMap<string, number>,
): Promise<void> {
  for (const chunk of chunksOf([...starts])) {
    await db
      .insertInto('webhook_lanes')
      .values(
        chunk.map(([endpoint_id, sequence]) => ({
          endpoint_id,
          chain_id: chainId,
          queue: MAIN_QUEUE,
          sequence,
          until_sequence: null,
        })),
      )
      .onConflict((row) => row.doNothing())
      .execute()
  }
}

/** Events in one read of a log. */
export const PAGE = 500
const MOST_KEPT = 2 * PAGE

/** The events of all filters with a sequence above `after`, up to `next`. */
interface Kept {
  readonly after: number
  readonly next: number
  readonly events: readonly LoggedEvent[]
}

/** The event logs, with the newest events in memory: what the router has just read, this process mostly sends next. */
export class RecentLog {
  readonly #log: Pick<EventLog, 'read'>
  readonly #kept = new Map<string, Kept>()

  constructor(log: Pick<EventLog, 'read'>) {
    this.#log = log
  }

  /** A page of all events after a sequence. From memory it says `hasMore`, since the log may have. Throws what the log throws. */
  async read(chainId: number, finality: Finality, after: number): Promise<EventPage> {
    const name = `${chainId} ${finality}`
    const kept = this.#kept.get(name)
    if (kept !== undefined && kept.after <= after && after < kept.next) {
      return {
        events: kept.events.filter(({ sequence }) => sequence > after),
        next: kept.next,
        hasMore: true,
      }
    }
    const page = await this.#log.read(chainId, { after, first: PAGE, filters: {}, finality })
    if (kept === undefined || page.next > kept.next) {
      const goesOn = kept?.next === after
      const events = [...(goesOn ? kept.events : []), ...page.events]
      const dropped = events[events.length - MOST_KEPT - 1]
      this.#kept.set(name, {
        after: dropped?.sequence ?? (goesOn ? kept.after : after),
        next: page.next,
        events: events.slice(-MOST_KEPT),
      })
    }
    return page
  }
}
