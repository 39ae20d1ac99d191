import { LRUCache } from 'lru-cache'

const MOST_DOCUMENTS = 300
const MOST_BYTES = 16 * 1024 * 1024
/** An answer of a failing upstream is not asked for again by every visitor, and is gone a moment later. */
const FAILED_FOR_MS = 2_000

interface Kept<Made> {
  /** What the document was made at: a block, and the index's. */
  readonly stamp: string
  readonly made: Made
}

/** What is kept has a size, and says whether something in it failed by no fault of whoever asked. */
interface Keepable {
  readonly bytes: number
  readonly isFailure: boolean
}

/**
 * Documents as they were made at one block. All visitors who come before the next block get the same one, and those
 * who come while it is made wait for it.
 */
export class KeptDocuments<Made extends Keepable> {
  readonly #made: LRUCache<string, Kept<Made>>
  readonly #making = new Map<string, Promise<Made>>()

  /** @param clock gives milliseconds */
  constructor(clock: { now(): number } = performance) {
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
    if (kept?.stamp === stamp) return kept.made
    const at = `${stamp} ${key}`
    const making = this.#making.get(at) ?? this.#make(at, key, stamp, make)
    return making
  }

  #make(at: string, key: string, stamp: string, make: () => Promise<Made>): Promise<Made> {
    const making = make()
      .then((made) => {
        this.#made.set(key, { stamp, made }, made.isFailure ? { ttl: FAILED_FOR_MS } : {})
        return made
      })
      .finally(() => this.#making.delete(at))
    this.#making.set(at, making)
    return making
  }
}
