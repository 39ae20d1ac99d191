import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ApiKeysTable } from '../../store/accessTables.ts'
import { flawOf, hashOf } from './apiKey.ts'
import { accountOf } from './KeyStore.ts'

/** A revoked key may work on other processes for one second. This is a little less. */
const MOST_AGE_MS = 900

/** Size of the two caches. Unknown keys have their own, so that guesses do not push out real keys. */
const MOST_KNOWN = 10_000
const MOST_UNKNOWN = 10_000

/** The result of checking a key. Callers only learn whether it is live; the reason goes to the log. */
export type KeyCheck =
  | { readonly live: true; readonly id: string; readonly account: string; readonly subjectId: string }
  | { readonly live: false; readonly reason: 'malformed' | 'mistyped' | 'unknown' }
  | { readonly live: false; readonly reason: 'revoked' | 'expired'; readonly id: string }

type Row = Pick<ApiKeysTable, 'id' | 'account' | 'subject_id' | 'hash' | 'expires_at' | 'revoked_at'>

interface Remembered<Found> {
  readonly row: Found
  /** When the look-up began, by a clock that never goes back. */
  readonly askedAtMs: number
}

export interface LiveKeysOptions {
  /** Looks a key up by its hash. `check` throws what this throws. */
  find(hash: string): Promise<Row | undefined>
  /** The wall clock, in milliseconds of unix time. */
  readonly now?: () => number
  /** A clock that never goes back, in milliseconds. */
  readonly steadyNow?: () => number
}

/**
 * Checks keys, and caches each look-up for less than a second.
 *
 * A key is looked up by the hash of the whole key, so the time says nothing about how much of it is right. A text with a
 * wrong checksum was never issued and is refused without a look-up.
 */
export class LiveKeys {
  readonly #options: Required<LiveKeysOptions>
  readonly #known = new LRUCache<string, Remembered<Row>>({ max: MOST_KNOWN })
  readonly #unknown = new LRUCache<string, Remembered<undefined>>({ max: MOST_UNKNOWN })
  /** Running look-ups. Requests with the same key share one. */
  readonly #running = new Map<string, Promise<Row | undefined>>()

  constructor(options: LiveKeysOptions) {
    this.#options = { now: Date.now, steadyNow: () => performance.now(), ...options }
  }

  async check(key: string): Promise<KeyCheck> {
    const flaw = flawOf(key)
    if (flaw !== undefined) return { live: false, reason: flaw }
    const hash = hashOf(key)
    const remembered = this.#known.get(hash) ?? this.#unknown.get(hash)
    const isFresh = remembered !== undefined && this.#options.steadyNow() - remembered.askedAtMs < MOST_AGE_MS
    const row = isFresh ? remembered.row : await this.#lookUp(hash)
    if (row === undefined || !equal(row.hash, hash)) return { live: false, reason: 'unknown' }
    const { id, subject_id: subjectId, revoked_at: revokedAt, expires_at: expiresAt } = row
    if (revokedAt !== null) return { live: false, reason: 'revoked', id }
    if (expiresAt !== null && expiresAt <= this.#options.now()) return { live: false, reason: 'expired', id }
    return { live: true, id, account: accountOf(row), subjectId }
  }

  /** Removes a key from the cache, so that the next request asks the store. */
  forget(hash: string): void {
    this.#known.delete(hash)
    this.#unknown.delete(hash)
    // A look-up that began before may still find the key live. Its result must not be cached or shared.
    this.#running.delete(hash)
  }

  async #lookUp(hash: string): Promise<Row | undefined> {
    const running = this.#running.get(hash)
    if (running !== undefined) return running
    const askedAtMs = this.#options.steadyNow()
    const lookUp = this.#options.find(hash)
    this.#running.set(hash, lookUp)
    try {
      const row = await lookUp
      if (this.#running.get(hash) === lookUp) this.#remember(hash, row, askedAtMs)
      return row
    } finally {
      if (this.#running.get(hash) === lookUp) this.#running.delete(hash)
    }
  }

  #remember(hash: string, row: Row | undefined, askedAtMs: number): void {
    if (row !== undefined) this.#known.set(hash, { row, askedAtMs })
    else this.#unknown.set(hash, { row, askedAtMs })
  }
}

function equal(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
