import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** Pages that are asked for again within a moment, and the memory that they take. */
const MOST_DOCUMENTS = 300
const MOST_BYTES = 16 * 1024 * 1024
/** An answer of a failing upstream is not asked for again by every visitor, and is gone a moment later. */
const FAILED_FOR_MS = 2_000
/** A document that takes longer is shown as it was a moment ago: what waits for remit may be ten thousand payments. */
const PATIENCE_MS = 300
const MOMENT_MS = 10_000

interface Kept<Made> {
  /** What the document was made at: a block, and the index's. */
  readonly stamp: string
  readonly made: Made
  /** When it began to be made, by the clock. */
  readonly at: number
}

/** A document with its size, and whether an upstream failed while it was made. */
interface Keepable {
  readonly bytes: number
  readonly isFailure: boolean
}

/** The next document: made after the current one, with the options of its newest waiting visitor. */
interface Next<Made> {
  stamp: string
  make: () => Promise<Made>
  readonly made: Promise<Made>
}

interface Making<Made> {
  readonly stamp: string
  readonly made: Promise<Made>
  next?: Next<Made>
}

/**
 * Documents as they were made at one block. All visitors who come before the next block get the same one, and those
 * who come while it is made wait for it.
 *
 * Of each, one at a time is made. Where that takes longer than a block, later visitors share the next one.
 */
export class KeptDocuments<Made extends Keepable> {
  readonly #made: LRUCache<string, Kept<Made>>
  readonly #making = new Map<string, Making<Made>>()
  readonly #clock: { now(): number }

  /** @param clock gives milliseconds */
  constructor(clock: { now(): number } = performance) {
    this.#clock = clock
    this.#made = new LRUCache({
      max: MOST_DOCUMENTS,
      maxSize: MOST_BYTES,
      sizeCalculation: ({ made }) => Math.max(1, made.bytes),
      perf: clock,
      ttlResolution: 0,
    })
  }

  async get(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const kept = this.#made.get(key)
    return kept?.stamp === stamp ? kept.made : this.#newest(key, stamp, make)
  }

  /** The one before, if it is at most ten seconds old, where the newest takes longer than a visitor notices. */
  async getSoon(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const kept = this.#made.get(key)
    if (kept?.stamp === stamp) return kept.made
    const newest = this.#newest(key, stamp, make)
    if (kept === undefined || kept.made.isFailure || this.#clock.now() - kept.at > MOMENT_MS) return newest
    // The older document is shown instead of the failure.
    newest.catch(() => {})
    return Promise.race([newest, sleep(PATIENCE_MS, kept.made, { ref: false })])
  }

  #newest(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const making = this.#making.get(key)
    if (making === undefined) return this.#make(key, stamp, make)
    if (making.stamp === stamp) return making.made
    if (making.next !== undefined) {
      Object.assign(making.next, { stamp, make })
      return making.next.made
    }
    const ended = making.made.catch(() => {})
    const next: Next<Made> = { stamp, make, made: ended.then(() => this.#make(key, next.stamp, next.make)) }
    making.next = next
    return next.made
  }

  #make(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const at = this.#clock.now()
    const making: Making<Made> = {
      stamp,
      made: make()
        .then((made) => {
          this.#made.set(key, { stamp, made, at }, made.isFailure ? { ttl: FAILED_FOR_MS } : {})
          return made
        })
        .finally(() => {
          // The next one takes its place.
          if (making.next === undefined) this.#making.delete(key)
        }),
    }
    this.#making.set(key, making)
    return making.made
  }
}
