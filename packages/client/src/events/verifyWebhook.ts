import { requireFinite } from '../call/requireFinite.ts'
import { decodeEvent, decodeNotice, type RemitEvent, type WebhookNotice } from './decodeEvent.ts'

/** The message was not signed with this secret, or not within the tolerance of now. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}

/** The headers of a request: of `Request`, or of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** How far the time of sending may be from now, in seconds. Default 300. */
  readonly toleranceSeconds?: number
  /** The clock, unix time in milliseconds. */
  readonly now?: () => number
}

/**
 * An event; that another webhook of yours was paused; that a member has left a signed permit for you to carry; a test that you asked
 * for; or the first question to a new URL: answer it with 200 and `challenge` as the text.
 */
export type WebhookMessage = RemitEvent | WebhookNotice

const PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300

/**
 * Checks that a request is from the service, and gives what it says. Nothing is asked of anybody: it works offline, in
 * Node, browsers and workers.
 *
 * The same event can come twice: remember the ids that you have handled, and forget those that a `retracted` event names.
 * @param body to the letter as it came: parse nothing before
 * @param secret several while one replaces another
 * @throws WebhookVerificationError, UnexpectedAnswerError for what the service has signed and this package cannot read, and
 *   RangeError for a clock or a tolerance that is no finite number
 *
 * @example
 * import { verifyWebhook } from '@remit/client'
 *
 * async function hear(request: Request): Promise<Response> {
 *   const body = await request.text()
 *   const { type, challenge } = JSON.parse(body)
 *   // The challenge of a new URL comes before its secret is known.
 *   if (type === 'webhook.challenge') return new Response(challenge)
 *   const event = await verifyWebhook(request.headers, body, process.env.WEBHOOK_SECRET ?? '')
 *   if (event.type === 'payment.at_risk') console.log(event.subject.account, event.data.missingBalance)
 *   return new Response('heard')
 * }
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<WebhookMessage> {
  const nowMs = now()
  requireFinite({ toleranceSeconds, now: nowMs })
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is no unix time.')
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('It was not sent just now: its time is too far from this clock.')
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [one.slice('v1,'.length)] : []))
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await hmacKey(one)
    for (const signature of given) {
      const bytes = fromBase64(signature)
      // Compares in a time that says nothing about how much of it is right.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content))) {
        const message: unknown = JSON.parse(body)
        return decodeNotice(message) ?? decodeEvent(message)
      }
    }
  }
  throw new WebhookVerificationError('No signature fits the body and the secret.')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name]
  if (typeof value !== 'string') throw new WebhookVerificationError(`The header ${name} is missing.`)
  return value
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

async function hmacKey(secret: string) {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (bytes === undefined || bytes.length === 0) {
    throw new WebhookVerificationError('The secret is not one of a webhook: whsec_ and Base64.')
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
