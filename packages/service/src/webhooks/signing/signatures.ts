import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { Store } from '../../store/openStore.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import { StoreError } from '../../store/StoreError.ts'

// How what is posted to webhooks is signed, as Standard Webhooks (standardwebhooks.com) has it: by the secret of the endpoint, and by
// one key of the service (`ServiceKey`).

/** What a secret begins with. */
const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret for an endpoint. */
export function mintSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** What is signed. */
interface Message {
  /** The same for each attempt, so that receivers notice what they have had already. */
  readonly id: string
  /** Unix seconds of this attempt. Receivers refuse old ones. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks: `v1` by each secret, and `v1a` by the key of the service.
 * @param secrets two of them while one replaces the other
 */
export function signedHeaders(
  message: Message,
  secrets: readonly string[],
  key: KeyObject,
): Record<string, string> {
  const { id, timestamp, body } = message
  const content = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = [
    ...secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`),
    `v1a,${sign(null, content, key).toString('base64')}`,
  ]
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}

/** The context of the sealed key (`SecretBox`): its row in `webhook_service`. */
const CONTEXT = 'webhook_service 1'
/** How many bytes stand before the 32 bytes of an ed25519 public key in DER. */
const DER_PREFIX_BYTES = 12

interface SigningKey {
  readonly privateKey: KeyObject
  /** `whpk_…` */
  readonly publicKey: string
}

/**
 * The key that signs `v1a` for all endpoints, made once for the store. All processes use the same one.
 *
 * It is never replaced, not even where SECRETS_KEY does not open it: receivers keep its public half, and would refuse what another key
 * signs.
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
