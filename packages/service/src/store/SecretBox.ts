import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { StoreError } from './StoreError.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `1.<id of the key>.<nonce, ciphertext and tag in base64url>` */
const SEALED = /^1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{38,})$/

interface SecretKey {
  /** The first 8 hex digits of its SHA-256. */
  readonly id: string
  readonly bytes: Buffer
}

/**
 * Encrypts ("seals") secrets before they are stored, by AES-256-GCM, with the operator's SECRETS_KEY.
 * The first key seals, and every key opens. So a key is replaced by putting a new one in front of it. The old one stays until
 * `resealSecrets` has sealed everything again.
 */
export class SecretBox {
  readonly #keys: readonly SecretKey[]
  readonly #current: SecretKey

  /** @param keys each 32 bytes, as `readSecretKey` reads them. Throws RangeError where there is none. */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((text) => {
      const bytes = readSecretKey(text)
      if (bytes === undefined) throw new RangeError('A key of secrets is not 32 bytes in Base64 or hex')
      return { id: hash('sha256', bytes).slice(0, 8), bytes }
    })
    const [current] = this.#keys
    if (current === undefined) throw new RangeError('Sealing needs a key')
    this.#current = current
  }

  /** @param context what the secret belongs to, such as its table and id. It opens only with the same context. */
  seal(secret: string, context: string): string {
    const { id, bytes } = this.#current
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(`1.${id} ${context}`))
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `1.${id}.${sealed.toString('base64url')}`
  }

  /** Whether the key that seals now has sealed it. */
  isCurrent(sealed: string): boolean {
    return SEALED.exec(sealed)?.[1] === this.#current.id
  }

  /** Throws SealedError where no key opens it, or where it was changed or moved to another place. */
  open(sealed: string, context: string): string {
    const [, id, body = ''] = SEALED.exec(sealed) ?? []
    const key = this.#keys.find((one) => one.id === id)
    if (key === undefined) throw new SealedError('was sealed with a key that SECRETS_KEY does not list')
    const bytes = Buffer.from(body, 'base64url')
    const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(`1.${key.id} ${context}`))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
      return Buffer.concat(opened).toString('utf8')
    } catch {
      throw new SealedError('was changed, or belongs to another row')
    }
  }
}

/** A sealed secret that cannot be opened. The message says why, and holds nothing secret. */
export class SealedError extends StoreError {
  constructor(why: string) {
    super(`A secret in the store ${why}.`)
  }
}

/** The bytes of a key as an operator writes it: 64 hex digits, or Base64 with either alphabet. */
export function readSecretKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === KEY_BYTES ? bytes : undefined
}
