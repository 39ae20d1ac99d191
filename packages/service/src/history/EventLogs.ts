import { setTimeout as sleep } from 'node:timers/promises'
import { IndexUnavailableError } from '@remit/engine/errors/history'
import type { EventLog, EventPage, EventQuery, Finality, LogState } from '@remit/engine/ports/events'
import { readStore } from './History.ts'
import type { LogReader } from './projection.ts'

/** How often the store is asked for news, of whatever process, while somebody waits. */
const POLL_MS = 200

/** Somebody who waits until the log is in another state than `seen`. */
interface Waiting {
  readonly seen: LogState | undefined
  readonly end: () => void
}

/**
 * The event logs of the chains that have an index, for event streams, webhooks and the API (`EventLog`). Those who wait for news of a
 * chain share one poll of the store, however many they are.
 */
export class EventLogs implements EventLog {
  readonly #reader: LogReader
  readonly #chainIds: ReadonlySet<number>
  readonly #wake: (chainId: number) => unknown
  readonly #waiting = new Map<number, Set<Waiting>>()
  readonly #polls = new Map<number, Promise<void>>()
  #isClosed = false

  /** @param wake called while somebody waits for a chain's events: its head is then asked for as if there were callers */
  constructor(reader: LogReader, chainIds: readonly number[], wake: (chainId: number) => unknown = () => {}) {
    this.#reader = reader
    this.#wake = wake
    this.#chainIds = new Set(chainIds)
  }

  async read(chainId: number, query: EventQuery): Promise<EventPage> {
    return this.#found(chainId, () => this.#reader.readLog(chainId, query))
  }

  async end(chainId: number, finality: Finality): Promise<number> {
    return this.#found(chainId, () => this.#reader.logEnd(chainId, finality))
  }

  async state(chainId: number): Promise<LogState | undefined> {
    return this.#chainIds.has(chainId) ? this.#reader.logState(chainId) : undefined
  }

  async waitFor(chainId: number, seen: LogState | undefined, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return !this.#isClosed
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(chainId) ?? new Set()
      this.#waiting.set(chainId, waiting)
      const one: Waiting = {
        seen,
        end: () => {
          signal.removeEventListener('abort', one.end)
          waiting.delete(one)
          resolve()
        },
      }
      signal.addEventListener('abort', one.end, { once: true })
      waiting.add(one)
      if (!this.#polls.has(chainId)) this.#polls.set(chainId, this.#poll(chainId))
    })
    return !this.#isClosed
  }

  /** Ends all waits, now and later: the service shuts down. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting.values()) for (const { end } of [...waiting]) end()
    await Promise.all(this.#polls.values())
  }

  async #found<T>(chainId: number, read: () => Promise<T | undefined>): Promise<T> {
    if (!this.#chainIds.has(chainId)) throw IndexUnavailableError.off(chainId)
    return readStore(chainId, read)
  }

  /** Polls while somebody waits. Never rejects: a store that fails has no news. */
  async #poll(chainId: number): Promise<void> {
    const waiting = this.#waiting.get(chainId) ?? new Set()
    while (waiting.size > 0) {
      this.#wake(chainId)
      const state = await this.state(chainId).catch(() => undefined)
      if (state !== undefined) {
        for (const { seen, end } of [...waiting]) if (isOther(state, seen)) end()
      }
      if (waiting.size > 0) await sleep(POLL_MS)
    }
    this.#polls.delete(chainId)
  }
}

function isOther(state: LogState, seen: LogState | undefined): boolean {
  return (
    state.sequence !== seen?.sequence ||
    state.blockNumber !== seen.blockNumber ||
    state.finalizedBlock !== seen.finalizedBlock
  )
}
