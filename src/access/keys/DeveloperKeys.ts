import type {
  ApiKey,
  IssuedKey,
  KeyPage,
  KeyQuery,
  KeysPort,
  NewKey,
  RotatedKey,
} from '../../core/ports/keys.ts'
import type { StoreAccess } from '../StoreAccess.ts'
import { KeyStore, type KeyStoreOptions } from './KeyStore.ts'
import { KeyUses } from './KeyUses.ts'
import { type KeyCheck, LiveKeys } from './LiveKeys.ts'

/** A look-up takes a millisecond. Where the database hangs, callers with a key must not hang too. */
const LOOK_UP_TIMEOUT_MS = 2_000

export interface DeveloperKeysOptions extends KeyStoreOptions {
  readonly access: StoreAccess
  /** How long keys go on while the store is away. Default: not at all. */
  readonly graceMs?: number
  readonly lookUpTimeoutMs?: number
  /** The wall clock, in milliseconds of unix time. Uses are noted by it. */
  readonly now?: () => number
}

/** Developers' keys: checks them for every request, and manages them. */
export class DeveloperKeys implements KeysPort {
  readonly #store: KeyStore
  readonly #live: LiveKeys
  readonly #uses: KeyUses
  readonly #access: StoreAccess
  readonly #now: () => number

  constructor({
    access,
    graceMs = 0,
    lookUpTimeoutMs = LOOK_UP_TIMEOUT_MS,
    now = Date.now,
    ...options
  }: DeveloperKeysOptions) {
    const store = new KeyStore(options)
    this.#store = store
    this.#access = access
    this.#now = now
    this.#live = new LiveKeys({
      find: (hash) => access.ask(() => store.findByHash(hash), lookUpTimeoutMs),
      graceMs,
    })
    this.#uses = new KeyUses({ note: (uses) => store.noteUses(uses) })
  }

  /** Throws KeysUnavailableError while the store is away, for keys without a grace: they may be live or not. */
  async check(key: string): Promise<KeyCheck> {
    const check = await this.#live.check(key)
    if (check.live) this.#uses.used(check.id, this.#now())
    return check
  }

  create(key: NewKey): Promise<IssuedKey> {
    return this.#access.ask(() => this.#store.create(key))
  }

  async rotate(id: string): Promise<RotatedKey> {
    const { hash, ...rotated } = await this.#access.ask(() => this.#store.rotate(id))
    // The cache holds its old end.
    this.#live.forget(hash)
    return rotated
  }

  list(query: KeyQuery): Promise<KeyPage> {
    return this.#access.ask(() => this.#store.list(query))
  }

  get(id: string): Promise<ApiKey> {
    return this.#access.ask(() => this.#store.get(id))
  }

  rename(id: string, label: string | null): Promise<ApiKey> {
    return this.#access.ask(() => this.#store.rename(id, label))
  }

  async revoke(id: string): Promise<ApiKey> {
    const { key, hash } = await this.#access.ask(() => this.#store.revoke(id))
    this.#live.forget(hash)
    return key
  }

  /** Writes the last uses. The caller closes the store. */
  close(): Promise<void> {
    return this.#uses.close()
  }
}
