import { EVENT_TYPES, type Finality } from '@remit/engine/ports/events'
import type { Address, Hex } from 'viem'
import * as z from 'zod'

// What the rest of the service knows of webhooks. Words: an "endpoint" is a webhook, that is a URL with what it wants to hear; a "delivery"
// is one event on its way to one endpoint; the "owner" is the subject that made it. Times are unix milliseconds.

/** Why an endpoint is paused, so that nothing is sent: its owner paused it, it answered 410, or it has failed for days. */
export const PAUSE_REASONS = ['owner', 'gone', 'failing'] as const

type PauseReason = (typeof PAUSE_REASONS)[number]

/**
 * What a webhook can ask for by name: events of the log, that another one of its owner was paused, and that a member of its
 * owner has handed in a permit.
 */
export const WEBHOOK_TYPES = [...EVENT_TYPES, 'webhook.paused', 'rescue.offered'] as const

type WebhookType = (typeof WEBHOOK_TYPES)[number]

/** `pending`: it waits for an attempt. `delivered`: an attempt was answered with success. `dead`: it was given up after three days. */
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why an attempt got no answer: no address for the name, one that nothing may be sent to, a failed connection, or no answer in time. */
export const DELIVERY_FAILURES = ['name', 'forbidden_address', 'connection', 'timeout'] as const

export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number]

/** Which events an endpoint wants. `null` matches all. */
interface WebhookWishes {
  readonly chainId: number | null
  readonly types: readonly WebhookType[] | null
  readonly subscriptionId: Hex | null
  readonly provider: Address | null
  readonly account: Address | null
  readonly finality: Finality
}

/** An endpoint as its owner asks for it. */
export interface NewWebhook extends WebhookWishes {
  readonly url: string
  readonly description: string | null
}

/** An endpoint as it stands, without its secret. */
export interface Webhook extends NewWebhook {
  readonly id: string
  readonly createdAt: number
  /** `null` while it is active. */
  readonly pausedAt: number | null
  readonly pausedReason: PauseReason | null
  /** The time of the last delivery; `null` before the first one. */
  readonly deliveredAt: number | null
  /** The first failure since then; `null` where none failed. */
  readonly failingSince: number | null
  /** Until when the secret before the last rotation signs too; `null` where it does not. */
  readonly oldSecretUntil: number | null
}

/** An endpoint with its secret, which is known only now. */
export interface IssuedWebhook {
  readonly webhook: Webhook
  /** `whsec_…` */
  readonly secret: string
}

/** What came of one request to an endpoint. */
export interface DeliveryAnswer {
  /** `null` where no answer came. */
  readonly status: number | null
  /** The beginning of the answer. */
  readonly answer: string | null
  readonly failure: DeliveryFailure | null
  readonly durationMs: number
}

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly eventId: string
  readonly type: string
  /** `null` for a message that is in no log of events, such as `webhook.paused`. So is `sequence`, the place in that log. */
  readonly chainId: number | null
  readonly sequence: number | null
  readonly state: DeliveryState
  /** Whether its owner asked for it again, and so it comes out of order. */
  readonly again: boolean
  readonly attempts: number
  readonly createdAt: number
  /** `null` if no attempt follows. */
  readonly nextAt: number | null
  readonly attemptedAt: number | null
  /** What came of the last attempt; `null` before the first one. */
  readonly last: DeliveryAnswer | null
  /** What is sent: the event as JSON. */
  readonly body: string
}

export interface WebhookPageQuery {
  readonly first: number
  /** The nextCursor of the page before. */
  readonly after: string | undefined
}

export interface WebhookPage<Row> {
  readonly rows: readonly Row[]
  readonly nextCursor: string | null
}

/**
 * Manages the webhooks of one subject. Methods that name a webhook throw WebhookNotFoundError where the subject has no
 * such one. Every method throws WebhooksDisabledError where the operator has switched webhooks off.
 */
export interface WebhooksPort {
  /**
   * Makes an endpoint, once its URL has answered the challenge. Throws ValidationError for a URL that nothing may be sent
   * to, UnprovenUrlError, MaxWebhooksError, and what `takeChallenge` throws, which is called before anything is sent.
   */
  create(subject: string, webhook: NewWebhook, takeChallenge: () => Promise<void>): Promise<IssuedWebhook>
  /** Lists the endpoints of the subject, newest first. */
  list(subject: string, query: WebhookPageQuery): Promise<WebhookPage<Webhook>>
  get(subject: string, id: string): Promise<Webhook>
  /** Changes what is given. A new URL has to prove itself, as at creation. */
  change(
    subject: string,
    id: string,
    change: Partial<NewWebhook>,
    takeChallenge: () => Promise<void>,
  ): Promise<Webhook>
  /** Stops deliveries until it is resumed. What happens meanwhile is delivered then, in order. */
  pause(subject: string, id: string): Promise<Webhook>
  resume(subject: string, id: string): Promise<Webhook>
  /** Deletes an endpoint, with all that waits for it. */
  delete(subject: string, id: string): Promise<Webhook>
  /** Makes a new secret. The old one signs too, for a day. */
  rotateSecret(subject: string, id: string): Promise<IssuedWebhook>
  /** Sends an event of the type `webhook.test`, once, and says what came of it. */
  test(subject: string, id: string): Promise<DeliveryAnswer>
  /** Lists what was sent to the endpoint or waits for it, newest first. */
  deliveries(
    subject: string,
    id: string,
    query: WebhookPageQuery & { readonly state: DeliveryState | undefined },
  ): Promise<WebhookPage<Delivery>>
  /** Delivers one event again. Throws DeliveryNotFoundError. */
  redeliver(subject: string, id: string, eventId: string): Promise<Delivery>
  /** Delivers again all that the endpoint would have heard since a time. @param since unix seconds */
  redeliverSince(subject: string, id: string, since: number): Promise<void>
  /** `whpk_…`: the public key of the signatures `v1a`. */
  publicKey(): Promise<string>
}

export const WebhookId = z
  .string()
  .regex(/^wh_[0-9a-f]{32}$/, 'must be the id of a webhook')
  .describe('Id of the webhook.')

export const RescueId = z
  .string()
  .regex(/^rescue_[0-9a-f]{32}$/, 'must be the id of a rescue')
  .describe('Id of the permit that is kept.')
