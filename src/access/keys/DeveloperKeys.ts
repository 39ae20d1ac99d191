import type {
  ApiKey,
  IssuedKey,
  KeyPage,
  KeyQuery,
  KeysPort,
  NewKey,
  RotatedKey,
} from '../../core/ports/keys.ts'
import type { Log } from '../../core/ports/log.ts'
import { KeysUnavailableError } from '../../errors/access.ts'
import { RemitError } from '../../errors/base.ts'
import { KeyStore, type KeyStoreOptions } from './KeyStore.ts'
import { KeyUses } from './KeyUses.ts'
import { type KeyCheck, LiveKeys } from './LiveKeys.ts'

/** A look-up takes a millisecond. Where the database hangs, callers with a key must not hang too. */
const LOOK_UP_TIMEOUT_MS = 2_000
/** Longer than the timeouts of the database, so that mostly the database gives up first. */
const MANAGE_TIMEOUT_MS = 20_000

export interface DeveloperKeysOptions extends KeyStoreOptions {
  readonly log: Log
  readonly lookUpTimeoutMs?: number
  /** How often uses are written down. */
  readonly usesEveryMs?: number
}

/** Developers' keys: checks them for every request, and manages them. */
export class DeveloperKeys implements KeysPort {
  readonly #store: KeyStore
  readonly #live: LiveKeys
  readonly #uses: KeyUses
  readonly #log: Log
  readonly #now: () => number
  #isAway = false

  constructor({
    log,
    lookUpTimeoutMs = LOOK_UP_TIMEOUT_MS,
    usesEveryMs,
    now = Date.now,
    ...options
  }: DeveloperKeysOptions) {
    const store = new KeyStore({ ...options, now })
    this.#store = store
    this.#log = log
    this.#now = now
    this.#live = new LiveKeys({
      find: (hash) => this.#asking(() => store.findByHash(hash), lookUpTimeoutMs),
      now,
    })
    this.#uses = new KeyUses({
      note: (uses) => store.noteUses(uses),
      ...(usesEveryMs === undefined ? {} : { everyMs: usesEveryMs }),
    })
  }

  /** Throws KeysUnavailableError while the store is away: the key may be live or not. */
  async check(key: string): Promise<KeyCheck> {
    const check = await this.#live.check(key)
    if (check.live) this.#uses.used(check.id, this.#now())
    return check
  }

  create(key: NewKey): Promise<IssuedKey> {
    return this.#asking(() => this.#store.create(key))
  }

  async rotate(id: string): Promise<RotatedKey> {
    const { hash, ...rotated } = await this.#asking(() => this.#store.rotate(id))
    // The cache holds its old end.
    this.#live.forget(hash)
    return rotated
  }

  list(query: KeyQuery): Promise<KeyPage> {
    return this.#asking(() => this.#store.list(query))
  }

  get(id: string): Promise<ApiKey> {
    return this.#asking(() => this.#store.get(id))
  }

  rename(id: string, label: string | null): Promise<ApiKey> {
    return this.#asking(() => this.#store.rename(id, label))
  }

  async revoke(id: string): Promise<ApiKey> {
    const { key, hash } = await this.#asking(() => this.#store.revoke(id))
    this.#live.forget(hash)
    return key
  }

  /** Writes the last uses. The caller closes the store. */
  close(): Promise<void> {
    return this.#uses.close()
  }

  /** Logs once when the store goes away, and once when it is back. */
  async #asking<T>(ask: () => Promise<T>, timeoutMs = MANAGE_TIMEOUT_MS): Promise<T> {
    try {
      const answer = await within(timeoutMs, ask())
      if (this.#isAway) this.#log.info('The key store is back')
      this.#isAway = false
      return answer
    } catch (error) {
      if (error instanceof RemitError) throw error
      if (!this.#isAway) this.#log.error('The key store is away', { reason: reasonOf(error) })
      this.#isAway = true
      throw new KeysUnavailableError(error)
    }
  }
}

/** The promise's outcome, or an error after the time-out. A later outcome is ignored. */
function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new LookUpTimeout()), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

class LookUpTimeout extends Error {
  readonly code = 'TIMEOUT'
}

/** A code that is safe to log. Messages of databases may name hosts, users and values. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
