import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Store } from '../../store/openStore.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import { StoreError } from '../../store/StoreError.ts'

/** What the key is sealed for: the row in `webhook_service`. */
const CONTEXT = 'webhook_service 1'
/** How many bytes stand before the 32 bytes of an ed25519 public key in DER. */
const DER_PREFIX_BYTES = 12

export interface SigningKey {
  readonly privateKey: KeyObject
  /** `whpk_…` */
  readonly publicKey: string
}

/**
 * The key that signs `v1a` for all endpoints, made once for the store. All processes use the same one.
 *
 * It is never replaced: receivers keep its public half, and one start with a wrong SECRETS_KEY would refuse them all that follows.
 */
export class ServiceKey {
  readonly #store: Store
  readonly #box: SecretBox
  #key: Promise<SigningKey> | undefined

  constructor(store: Store, box: SecretBox) {
    this.#store = store
    this.#box = box
  }

  /** Throws StoreError where SECRETS_KEY does not open the key, and whatever the store throws. */
  get(): Promise<SigningKey> {
    const asked = this.#key ?? this.#readOrMake()
    this.#key = asked
    asked.catch(() => {
      this.#key = undefined
    })
    return asked
  }

  async #readOrMake(): Promise<SigningKey> {
    return this.#store.transaction(async (db) => {
      // Locks the row, so that of processes that start together one makes the key.
      const { private_key: sealed } = await db
        .updateTable('webhook_service')
        .set((row) => ({ version: row.ref('version') }))
        .where('id', '=', 1)
        .returning('private_key')
        .executeTakeFirstOrThrow()
      if (sealed !== null) return this.#open(sealed)
      const { privateKey } = generateKeyPairSync('ed25519')
      const made = toSigningKey(privateKey)
      const text = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
      await db
        .updateTable('webhook_service')
        .set({ private_key: this.#box.seal(text, CONTEXT), public_key: made.publicKey })
        .where('id', '=', 1)
        .execute()
      return made
    })
  }

  #open(sealed: string): SigningKey {
    try {
      const der = Buffer.from(this.#box.open(sealed, CONTEXT), 'base64')
      return toSigningKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    } catch (cause) {
      if (!(cause instanceof SealedError)) throw cause
      throw new StoreError(
        'The key that signs webhooks cannot be opened: list in SECRETS_KEY the key that sealed it, behind the newest one.',
        { cause },
      )
    }
  }
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { privateKey, publicKey: `whpk_${der.subarray(DER_PREFIX_BYTES).toString('base64')}` }
}
