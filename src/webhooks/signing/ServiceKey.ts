import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Store } from '../../store/openStore.ts'
import type { SecretBox } from '../../store/SecretBox.ts'

/** Of the row in `webhook_service`. */
const CONTEXT = 'webhook_service 1'
/** Before the 32 bytes of a public key of ed25519 in DER. */
const DER_PREFIX_BYTES = 12

export interface SigningKey {
  readonly privateKey: KeyObject
  /** `whpk_…` */
  readonly publicKey: string
}

/**
 * The key that signs `v1a` for all endpoints, made once for the store. All processes use the same one.
 *
 * A key that SECRETS_KEY does not open any more is replaced: receivers fetch the new public key.
 */
export class ServiceKey {
  readonly #store: Store
  readonly #box: SecretBox
  #key: Promise<SigningKey> | undefined

  constructor(store: Store, box: SecretBox) {
    this.#store = store
    this.#box = box
  }

  /** Throws whatever the store throws. */
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
      const known = sealed === null ? undefined : this.#open(sealed)
      if (known !== undefined) return known
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

  #open(sealed: string): SigningKey | undefined {
    try {
      const der = Buffer.from(this.#box.open(sealed, CONTEXT), 'base64')
      return toSigningKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    } catch {
      return undefined
    }
  }
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { privateKey, publicKey: `whpk_${der.subarray(DER_PREFIX_BYTES).toString('base64')}` }
}
