import type { ErrorClass } from '@remit/engine/errors/base'
import { FINALITIES } from '@remit/engine/ports/events'
import { ChainId } from '@remit/engine/schema/chain'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { Timestamp, toSeconds } from '@remit/engine/schema/numbers'
import { PlainText } from '@remit/engine/schema/text'
import * as z from 'zod'
import { WebhookNotFoundError, WebhooksDisabledError } from '../errors/webhooks.ts'
import {
  DELIVERY_FAILURES,
  DELIVERY_STATES,
  type Delivery as DeliveryFacts,
  PAUSE_REASONS,
  WEBHOOK_TYPES,
  type Webhook as WebhookFacts,
  WebhookId,
} from '../ports/webhooks.ts'

// What the operations of `webhooks.ts` take and answer. A "delivery" is one event on its way to one webhook, an "attempt" one request of it.

/** The errors of every route about webhooks. */
export const webhookErrors: readonly ErrorClass[] = [WebhooksDisabledError]

/** The errors of routes that name one webhook. */
export const oneWebhookErrors: readonly ErrorClass[] = [...webhookErrors, WebhookNotFoundError]

const TypeName = z.enum(WEBHOOK_TYPES)

const filters = {
  subscriptionId: SubscriptionId.describe('Only events of this subscription.'),
  provider: Address.describe('Only events of this provider and its subscriptions.'),
  account: Address.describe('Only events of this subscriber.'),
}

/** What can be set at creation, and changed. */
export const webhookFields = {
  url: z
    .string()
    .min(1)
    .max(2_048)
    .describe('Where events are posted: https, at a public address. It has to answer a challenge first.'),
  chainId: z.int().min(1).describe('Only events of this chain. Default: all chains.'),
  types: z
    .array(TypeName)
    .min(1)
    .max(WEBHOOK_TYPES.length)
    .describe(
      'Only these types. What a reorganisation took back of them comes too. Default: all events. webhook.paused says that another webhook of yours was paused, and rescue.offered that a member of yours has left a signed permit to carry; they come only where they are named.',
    ),
  filters: z.strictObject({
    subscriptionId: filters.subscriptionId.optional(),
    provider: filters.provider.optional(),
    account: filters.account.optional(),
  }),
  finality: z
    .enum(FINALITIES)
    .describe('How sure an event must be: seen (default), confirmed by ten blocks, or final.'),
  description: PlainText.max(200, 'must have 200 characters at most').describe(
    'What it is for, in your words.',
  ),
}

/** A webhook as its owner sees it, without its secret. */
export const Webhook = z
  .object({
    id: WebhookId,
    url: z.string(),
    description: z.string().nullable(),
    chainId: ChainId.nullable().describe('null for all chains.'),
    types: z.array(TypeName).nullable().describe('null for all events.'),
    filters: z.object({
      subscriptionId: SubscriptionId.nullable(),
      provider: Address.nullable(),
      account: Address.nullable(),
    }),
    finality: z.enum(FINALITIES),
    status: z.enum(['active', 'paused']),
    pausedReason: z
      .enum(PAUSE_REASONS)
      .nullable()
      .describe('owner: you did; gone: it answered 410; failing: nothing got through for five days.'),
    pausedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    lastDeliveredAt: Timestamp.nullable(),
    failingSince: Timestamp.nullable().describe('The first failure since the last delivery.'),
    oldSecretUntil: Timestamp.nullable().describe(
      'Until when the secret before the last rotation signs too.',
    ),
  })
  .meta({ id: 'Webhook' })

export function toWebhook(webhook: WebhookFacts): z.output<typeof Webhook> {
  const { subscriptionId, provider, account } = webhook
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    chainId: webhook.chainId,
    types: webhook.types === null ? null : [...webhook.types],
    filters: { subscriptionId, provider, account },
    finality: webhook.finality,
    status: webhook.pausedAt === null ? 'active' : 'paused',
    pausedReason: webhook.pausedReason,
    pausedAt: toSeconds(webhook.pausedAt),
    createdAt: toSeconds(webhook.createdAt),
    lastDeliveredAt: toSeconds(webhook.deliveredAt),
    failingSince: toSeconds(webhook.failingSince),
    oldSecretUntil: toSeconds(webhook.oldSecretUntil),
  }
}

/** What came of one request. */
export const DeliveryAnswer = z.object({
  status: z.int().nullable().describe('null where no answer came.'),
  answer: z.string().nullable().describe('The first 1,024 bytes, without control characters.'),
  failure: z.enum(DELIVERY_FAILURES).nullable().describe('Why no answer came.'),
  durationMs: z.int(),
})

/** An event that was sent to a webhook, or waits for it. */
export const Delivery = z
  .object({
    eventId: z.string(),
    type: z.string(),
    chainId: ChainId.nullable().describe('null for what is no event of a log: webhook.paused.'),
    sequence: z.int().nullable().describe('The event’s place in the log.'),
    state: z
      .enum(DELIVERY_STATES)
      .describe('dead: given up after three days. Deliver it again if you want it.'),
    again: z.boolean().describe('Whether it was asked for again, and so comes out of order.'),
    attempts: z.int(),
    createdAt: Timestamp,
    nextAttemptAt: Timestamp.nullable(),
    lastAttemptAt: Timestamp.nullable(),
    last: DeliveryAnswer.nullable().describe('What came of the last attempt.'),
    body: z.string().describe('What is sent, to the letter.'),
  })
  .meta({ id: 'WebhookDelivery' })

export function toDelivery(delivery: DeliveryFacts): z.output<typeof Delivery> {
  const { createdAt, nextAt, attemptedAt, ...rest } = delivery
  return {
    ...rest,
    createdAt: toSeconds(createdAt),
    nextAttemptAt: toSeconds(nextAt),
    lastAttemptAt: toSeconds(attemptedAt),
  }
}

/** A webhook in one line, for a model. What its owner wrote stands in quotes. */
export function webhookLine({ id, url, status, types, pausedReason }: z.output<typeof Webhook>): string {
  const what = types === null ? 'all events' : types.join(', ')
  return `${id} (${pausedReason === null ? status : `paused: ${pausedReason}`}) sends ${what} to "${url}"`
}
