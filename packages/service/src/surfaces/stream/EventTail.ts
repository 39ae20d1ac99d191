import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '@remit/engine/ports/events'
import * as z from 'zod'

/** Events that are kept in memory for those who are at the end of the log. Others read from the store. */
const MOST_KEPT = 1_000
/** How long to wait after a failure of the store. */
const RETRY_MS = 1_000

/** An event as the list answers it: here the fields that decide who gets it. The others are kept and sent too. */
const Sent = z.looseObject({
  type: z.string(),
  sequence: z.number(),
  subject: z.looseObject({
    subscriptionId: z.string().nullable(),
    provider: z.string().nullable(),
    account: z.string().nullable(),
  }),
  data: z.looseObject({ types: z.array(z.string()).optional() }),
})

/** A page of the list, as its answer has it. */
export const SentPage = z.object({ events: z.array(Sent), next: z.number(), hasMore: z.boolean() })

export type SentEvent = z.output<typeof Sent>
export type SentPage = z.output<typeof SentPage>

/** An event, and how it is written in a stream. */
export interface Frame {
  readonly event: SentEvent
  readonly text: string
}

export function frameOf(event: SentEvent): Frame {
  return { event, text: `id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n` }
}

interface EventTailOptions {
  readonly log: Pick<EventLog, 'state' | 'waitFor'>
  readonly chainId: number
  readonly end: () => Promise<number>
  readonly read: (after: number) => Promise<SentPage>
}

/**
 * The end of one chain's event log, held in memory. All listeners share one read of each event, and its text.
 *
 * It follows the log while anybody listens. A failure of the store or the chain is tried again: listeners only wait longer.
 */
export class EventTail {
  readonly #options: EventTailOptions
  readonly #listeners = new Set<() => void>()
  #frames: Frame[] = []
  /** The sequence after which every event is kept. Nothing is, until the end of the log is known. */
  #start = Number.POSITIVE_INFINITY
  /** The sequence up to which the log has been read. */
  #next = 0
  #isClosed = false
  #stopped = new AbortController()

  /**
   * @param options.end the sequence at which the log ends at present
   * @param options.read a page of the log after a sequence, without filters
   */
  constructor(options: EventTailOptions) {
    this.#options = options
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Whether the service is shutting down: nothing comes any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Calls `wake` whenever there is more. Returns a function that ends this. */
  listen(wake: () => void): () => void {
    if (this.#listeners.size === 0) {
      this.#frames = []
      this.#start = Number.POSITIVE_INFINITY
      this.#stopped = new AbortController()
      void this.#follow(this.#stopped.signal)
    }
    this.#listeners.add(wake)
    return () => {
      this.#listeners.delete(wake)
      if (this.#listeners.size === 0) this.#stopped.abort()
    }
  }

  /** The events after a sequence, which are all up to the sequence `next`; `undefined` where some are not kept any more. */
  after(sequence: number): { readonly frames: readonly Frame[]; readonly next: number } | undefined {
    if (sequence < this.#start) return undefined
    const from = this.#frames.findIndex(({ event }) => event.sequence > sequence)
    return { frames: from < 0 ? [] : this.#frames.slice(from), next: Math.max(sequence, this.#next) }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isClosed) {
      try {
        const seen = await this.#options.log.state(this.#options.chainId)
        if (this.#start === Number.POSITIVE_INFINITY) await this.#begin(signal)
        const page = await this.#options.read(this.#next)
        if (signal.aborted) return
        this.#keep(page)
        if (page.hasMore) continue
        this.#isClosed = !(await this.#options.log.waitFor(this.#options.chainId, seen, signal))
      } catch {
        // A request that meets the failure reports it. Listeners only wait longer.
        await sleep(RETRY_MS)
        this.#isClosed = await this.#isShuttingDown()
      }
    }
    if (this.#isClosed) this.#wakeAll()
  }

  /** Asked by a wait that is aborted from its start: it takes no time, and still says whether the service goes on. */
  async #isShuttingDown(): Promise<boolean> {
    return !(await this.#options.log.waitFor(this.#options.chainId, undefined, AbortSignal.abort()))
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const end = await this.#options.end()
    if (signal.aborted) return
    this.#start = end
    this.#next = end
    this.#wakeAll()
  }

  #keep({ events, next }: SentPage): void {
    if (next === this.#next) return
    this.#frames.push(...events.map(frameOf))
    const over = this.#frames.length - MOST_KEPT
    if (over > 0) {
      const [last] = this.#frames.splice(0, over).slice(-1)
      this.#start = last?.event.sequence ?? this.#start
    }
    this.#next = next
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const wake of [...this.#listeners]) wake()
  }
}
