import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { KeysUnavailableError } from '../../errors/access.ts'
import { flawOf, hashOf } from './apiKey.ts'
import { accountOf, type FoundKey } from './KeyStore.ts'

/** A revoked key may work on other processes for one second. This is a little less. */
const MOST_AGE_MS = 900
/** After a failed look-up, answers come from the cache for so long before the store is tried again. */
const RETRY_AFTER_MS = 900

/** Size of the two caches. Unknown keys have their own, so that guesses do not push out real keys. */
const MOST_KNOWN = 10_000
const MOST_UNKNOWN = 10_000

/** The result of checking a key. Callers only learn whether it is live; the reason goes to the log. */
export type KeyCheck =
  | { readonly live: true; readonly id: string; readonly account: string; readonly subjectId: string }
  | { readonly live: false; readonly reason: 'malformed' | 'mistyped' | 'unknown' }
  | { readonly live: false; readonly reason: 'revoked' | 'expired'; readonly id: string }

type Row = Pick<FoundKey, 'id' | 'account' | 'subject_id' | 'hash' | 'expires_at' | 'revoked_at' | 'now'>

interface Remembered<Found> {
  readonly row: Found
  /** When the look-up began, by a clock that never goes back. */
  readonly askedAtMs: number
}

export interface LiveKeysOptions {
  /** Looks a key up by its hash. `check` throws what this throws, but for KeysUnavailableError within the grace. */
  find(hash: string): Promise<Row | undefined>
  /** How long a key goes on while the store is away, since the store was last asked about it. */
  readonly graceMs: number
  /** A clock that never goes back, in milliseconds. */
  readonly steadyNow?: () => number
}

/**
 * Checks keys, and caches each look-up for less than a second. While the store is away, keys that were looked up within the
 * grace stay valid, and one caller at a time tries the store again.
 *
 * A key is looked up by the hash of the whole key, so the time says nothing about how much of it is right. A text with a
 * wrong checksum was never issued and is refused without a look-up.
 */
export class LiveKeys {
  readonly #options: Required<LiveKeysOptions>
  readonly #known = new LRUCache<string, Remembered<Row>>({ max: MOST_KNOWN })
  readonly #unknown = new LRUCache<string, Remembered<undefined>>({ max: MOST_UNKNOWN })
  /** Running look-ups. Requests with the same key share one. */
  readonly #running = new Map<string, Promise<Remembered<Row | undefined>>>()
  /** When a look-up failed last; `undefined` while they succeed. */
  #failedAtMs: number | undefined

  constructor(options: LiveKeysOptions) {
    this.#options = { steadyNow: () => performance.now(), ...options }
  }

  async check(key: string): Promise<KeyCheck> {
    const flaw = flawOf(key)
    if (flaw !== undefined) return { live: false, reason: flaw }
    const hash = hashOf(key)
    const { row, askedAtMs } = this.#remembered(hash, MOST_AGE_MS) ?? (await this.#find(hash))
    if (row === undefined || !equal(row.hash, hash)) return { live: false, reason: 'unknown' }
    const { id, subject_id: subjectId, revoked_at: revokedAt, expires_at: expiresAt } = row
    if (revokedAt !== null) return { live: false, reason: 'revoked', id }
    // The store's time at the look-up, and what has passed since it was asked. The store read its clock a little after that,
    // so this is a little ahead of the store, and a key never lasts longer than it should.
    const now = row.now + this.#options.steadyNow() - askedAtMs
    if (expiresAt !== null && expiresAt <= now) return { live: false, reason: 'expired', id }
    return { live: true, id, account: accountOf(row), subjectId }
  }

  /** Removes a key from the cache, so that the next request asks the store. */
  forget(hash: string): void {
    this.#known.delete(hash)
    this.#unknown.delete(hash)
    // A look-up that began before may still find the key live. Its result must not be cached or shared.
    this.#running.delete(hash)
  }

  #remembered(hash: string, mostAgeMs: number): Remembered<Row | undefined> | undefined {
    const remembered = this.#known.get(hash) ?? this.#unknown.get(hash)
    const isFresh = remembered !== undefined && this.#options.steadyNow() - remembered.askedAtMs < mostAgeMs
    return isFresh ? remembered : undefined
  }

  /** What the store says. While it is away: what it said within the grace, if it knew the key then. */
  async #find(hash: string): Promise<Remembered<Row | undefined>> {
    const inGrace = () => {
      const remembered = this.#remembered(hash, this.#options.graceMs)
      return remembered?.row === undefined ? undefined : remembered
    }
    const early = this.#isAway ? inGrace() : undefined
    if (early !== undefined) return early
    try {
      return await this.#lookUp(hash)
    } catch (error) {
      // The cache is read after the failure and not before: a revocation by this process may have removed the key while the
      // store was asked.
      const late = error instanceof KeysUnavailableError ? inGrace() : undefined
      if (late === undefined) throw error
      return late
    }
  }

  /** Whether the store has failed, and another look-up is running or would come too soon. */
  get #isAway(): boolean {
    if (this.#failedAtMs === undefined) return false
    return this.#running.size > 0 || this.#options.steadyNow() - this.#failedAtMs < RETRY_AFTER_MS
  }

  async #lookUp(hash: string): Promise<Remembered<Row | undefined>> {
    const running = this.#running.get(hash)
    if (running !== undefined) return running
    const askedAtMs = this.#options.steadyNow()
    const lookUp = this.#options.find(hash).then((row) => ({ row, askedAtMs }))
    this.#running.set(hash, lookUp)
    try {
      const { row } = await lookUp
      this.#failedAtMs = undefined
      if (this.#running.get(hash) === lookUp) this.#remember(hash, row, askedAtMs)
      return { row, askedAtMs }
    } catch (error) {
      this.#failedAtMs = this.#options.steadyNow()
      throw error
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
