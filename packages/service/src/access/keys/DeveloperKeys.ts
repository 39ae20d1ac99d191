import { ValidationError } from '@remit/engine/errors/input'
import { countAsNewKey } from '../../calls/countAsNewKey.ts'
import { KeyNotFoundError } from '../../errors/access.ts'
import type { NewKeysPort } from '../../ports/access.ts'
import type {
  ApiKey,
  IssuedKey,
  KeyOwner,
  KeyPage,
  KeyQuery,
  KeysPort,
  NewKey,
  RotatedKey,
} from '../../ports/keys.ts'
import type { StoreAccess } from '../StoreAccess.ts'
import { KeyStore, type KeyStoreOptions } from './KeyStore.ts'
import { type KeyCheck, LiveKeys } from './LiveKeys.ts'

// Developers' API keys as the service sees them, in three classes. `DeveloperKeys` checks the key of every request and manages keys: it
// puts the cache of keys (`LiveKeys`) over the table (`KeyStore`). `KeyUses` collects when keys were last used. `OwnKeys` is what the
// session of a wallet gets instead: the same, for the keys of that wallet alone.

/** A look-up takes a millisecond. Where the database hangs, callers with a key must not hang too. */
const LOOK_UP_TIMEOUT_MS = 2_000

export interface DeveloperKeysOptions extends KeyStoreOptions {
  readonly access: StoreAccess
  /** How long a key that was checked before is accepted while the store is away, in milliseconds. Default: 0, not at all. */
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

  /** Whether a key is live, and whose. Throws KeysUnavailableError while the store is away, unless the key was checked within the grace. */
  async check(key: string): Promise<KeyCheck> {
    const check = await this.#live.check(key)
    if (check.live) this.#uses.used(check.id, this.#now())
    return check
  }

  // The methods below do and throw what `KeysPort` says.
  create(key: NewKey): Promise<IssuedKey> {
    return this.#access.ask(() => this.#store.create(key))
  }

  async rotate(id: string): Promise<RotatedKey> {
    const { hash, ...rotated } = await this.#access.ask(() => this.#store.rotate(id))
    // The cache still has the old key's former end. A rotation has set an earlier one.
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

/** How many uses one transaction writes. It must be short, because others wait for it. */
const BATCH = 500

/** How often uses are written: not with each call. */
const NOTED_EVERY_MS = 60_000

interface KeyUsesOptions {
  /** Writes uses down: unix milliseconds by the key's id. */
  note(uses: readonly (readonly [id: string, usedAt: number])[]): Promise<void>
  readonly everyMs?: number
}

/** Keeps in memory when keys were last used, and writes it once a minute and when the process ends. */
export class KeyUses {
  readonly #note: KeyUsesOptions['note']
  readonly #timer: NodeJS.Timeout
  #uses = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor({ note, everyMs = NOTED_EVERY_MS }: KeyUsesOptions) {
    this.#note = note
    this.#timer = setInterval(() => void this.write(), everyMs).unref()
  }

  /** @param usedAt unix milliseconds */
  used(id: string, usedAt: number): void {
    this.#uses.set(id, usedAt)
  }

  /** Writes the uses that are not written yet. Where that fails, they are kept for the next time. Never throws. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.write()
  }

  async #writeAll(): Promise<void> {
    const uses = [...this.#uses]
    this.#uses = new Map()
    for (let first = 0; first < uses.length; first += BATCH) {
      try {
        await this.#note(uses.slice(first, first + BATCH))
      } catch {
        // The store is away. The next look-up of a key logs it.
        this.#keep(uses.slice(first))
        return
      }
    }
  }

  /** Puts back what could not be written, except for keys that were used again in the meantime. */
  #keep(uses: readonly (readonly [string, number])[]): void {
    for (const [id, usedAt] of uses) {
      if (!this.#uses.has(id)) this.#uses.set(id, usedAt)
    }
  }
}

/** The keys of one subject, as its session manages them. Another subject's key is not found. */
export class OwnKeys implements KeysPort {
  readonly #subject: string
  readonly #keys: KeysPort
  readonly #address: string
  readonly #newKeys: NewKeysPort

  /** @param newKeys counts the keys that are made from the session's network address */
  constructor(keys: KeysPort, { subject, address }: KeyOwner, newKeys: NewKeysPort) {
    this.#keys = keys
    this.#subject = subject
    this.#address = address
    this.#newKeys = newKeys
  }

  /** Throws RateLimitedError where the address has made the day's keys. A key that is not made does not count. */
  async create(key: NewKey): Promise<IssuedKey> {
    this.#requireOwn(key.subjectId)
    return countAsNewKey(this.#newKeys, this.#address, () => this.#keys.create(key))
  }

  async rotate(id: string): Promise<RotatedKey> {
    await this.get(id)
    return this.#keys.rotate(id)
  }

  async list(query: KeyQuery): Promise<KeyPage> {
    if (query.subjectId !== undefined) this.#requireOwn(query.subjectId)
    return this.#keys.list({ ...query, subjectId: this.#subject })
  }

  async get(id: string): Promise<ApiKey> {
    const key = await this.#keys.get(id)
    if (key.subjectId !== this.#subject) throw new KeyNotFoundError(id)
    return key
  }

  async rename(id: string, label: string | null): Promise<ApiKey> {
    await this.get(id)
    return this.#keys.rename(id, label)
  }

  async revoke(id: string): Promise<ApiKey> {
    await this.get(id)
    return this.#keys.revoke(id)
  }

  #requireOwn(subjectId: string): void {
    if (subjectId === this.#subject) return
    throw ValidationError.of(
      'subjectId',
      'must be the address of your own wallet, in lower case, or left out',
    )
  }
}
