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

/** The keys of one subject, as its session manages them. Another subject's key is not found. */
export class OwnKeys implements KeysPort {
  readonly #subject: string
  readonly #keys: KeysPort
  readonly #address: string
  readonly #newKeys: NewKeysPort

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
