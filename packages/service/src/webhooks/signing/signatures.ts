import { createHmac, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Secrets as Standard Webhooks writes them. */
const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function mintSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** What is signed: who receives it, for how long it is good, and the bytes of the body. */
export interface Message {
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
