import type { EventLog, EventPage, Finality, LoggedEvent } from '@remit/engine/ports/events'

/** Events in one read of a log. */
export const PAGE = 500
const MOST_KEPT = 2 * PAGE

interface Kept {
  readonly after: number
  readonly next: number
  readonly events: readonly LoggedEvent[]
}

/** The logs with their newest events in memory: the router has just read what its process then sends. */
export class RecentLog {
  readonly #log: Pick<EventLog, 'read'>
  readonly #kept = new Map<string, Kept>()

  constructor(log: Pick<EventLog, 'read'>) {
    this.#log = log
  }

  /** A page of all events after a sequence. Throws what the log throws. */
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
