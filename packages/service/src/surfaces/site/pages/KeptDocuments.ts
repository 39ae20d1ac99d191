import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** Pages that are asked for again within a moment, and the memory that they take. */
const MOST_DOCUMENTS = 300
const MOST_BYTES = 16 * 1024 * 1024
/** How long a document is kept that shows a failure: long enough that not every visitor asks the failing upstream again. */
const FAILED_FOR_MS = 2_000
/** How long a visitor of a slow page waits for the newest document before the one before is shown. */
const PATIENCE_MS = 300
/** How old that one may be. */
const OLDEST_MS = 10_000

interface Kept<Made> {
  /** Names the state that it shows: the chain's block and day, and the block of the index. */
  readonly stamp: string
  readonly made: Made
  /** When it began to be made: milliseconds of the clock. */
  readonly atMs: number
}

/** A document with its size, and whether an upstream failed while it was made. */
interface Keepable {
  readonly bytes: number
  readonly isFailure: boolean
}

/** The document that is made after the current one: of the newest state that a waiting visitor has asked for. */
interface Next<Made> {
  stamp: string
  make: () => Promise<Made>
  readonly made: Promise<Made>
}

/** A document that is being made. */
interface Making<Made> {
  readonly stamp: string
  readonly made: Promise<Made>
  next?: Next<Made>
}

/**
 * Caches the site's documents, each as it was made at one block. All visitors who come before the next block get the same
 * one, and those who come while it is made wait for it.
 *
 * Of each document, one at a time is made. Where that takes longer than a block, later visitors share the next one.
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

  /** The document of this state, made by `make` unless it is kept. @param key names the page with its parameters */
  async get(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const kept = this.#made.get(key)
    return kept?.stamp === stamp ? kept.made : this.#newest(key, stamp, make)
  }

  /** As `get`, but where that takes longer than a visitor notices: the document before, if it is at most ten seconds old. */
  async getSoon(key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const kept = this.#made.get(key)
    if (kept?.stamp === stamp) return kept.made
    const newest = this.#newest(key, stamp, make)
    if (kept === undefined || kept.made.isFailure || this.#clock.now() - kept.atMs > OLDEST_MS) return newest
    // The older document may have been shown by the time that this fails: then nobody is told of it.
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
    const atMs = this.#clock.now()
    const making: Making<Made> = {
      stamp,
      made: make()
        .then((made) => {
          this.#made.set(key, { stamp, made, atMs }, made.isFailure ? { ttl: FAILED_FOR_MS } : {})
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
