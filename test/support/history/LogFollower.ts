import type { EventPage, EventQuery, LoggedEvent } from '@remit/engine/ports/events'

/** Reads a log as a careful caller does: it goes on where it was, and forgets what is taken back. */
export class LogFollower {
  readonly #read: (query: EventQuery) => Promise<EventPage>
  readonly #first: number
  readonly #known = new Map<string, LoggedEvent>()
  #after = 0
  #sequence = 0

  /** @param first events of a page */
  constructor(read: (query: EventQuery) => Promise<EventPage>, first = 3) {
    this.#read = read
    this.#first = first
  }

  /** Reads to the present end. Throws where something is told twice, out of order, or taken back that was never told. */
  async catchUp(): Promise<void> {
    for (let more = true; more; ) {
      const page = await this.#read({
        after: this.#after,
        first: this.#first,
        filters: {},
        finality: 'seen',
      })
      for (const event of page.events) this.#hear(event)
      this.#after = page.next
      more = page.hasMore
    }
  }

  /** What stands, in the order of the chain. */
  get events(): readonly LoggedEvent[] {
    return [...this.#known.values()].sort(
      (a, b) => a.block.number - b.block.number || (a.logIndex ?? 0) - (b.logIndex ?? 0),
    )
  }

  #hear(event: LoggedEvent): void {
    if (event.sequence <= this.#sequence) throw new Error(`sequence ${event.sequence} went back`)
    this.#sequence = event.sequence
    if (event.type !== 'retracted') {
      if (this.#known.has(event.id)) throw new Error(`${event.id} was told twice`)
      this.#known.set(event.id, event)
      return
    }
    for (const id of event.facts.ids) {
      if (!this.#known.delete(id)) throw new Error(`${id} was taken back, and was never told`)
    }
  }
}
