import type { Post } from '@remit/engine/declare/operation'
import { EVENT_SCHEMAS, EventId } from '@remit/engine/presentation/event'
import { ChainId } from '@remit/engine/schema/chain'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { IsoTime, Timestamp, Uint256 } from '@remit/engine/schema/numbers'
import * as z from 'zod'
import { PAUSE_REASONS, RescueId, WebhookId } from '../ports/webhooks.ts'
import { RETRIES } from './delivering/retries.ts'

// What is posted to webhooks beside events, and the whole list of posts for the API's document.

const FAILING_DAYS = RETRIES.pauseEndpointAfterMs / 86_400_000

/** That a webhook was paused, as other webhooks of its owner are told. No log of events holds it. */
export const WebhookPaused = z
  .object({
    type: z.literal('webhook.paused'),
    id: EventId.describe('The same for each webhook that is told, and for each attempt.'),
    time: IsoTime.describe('When it was paused, in ISO 8601.'),
    data: z.object({
      webhookId: WebhookId.describe('The webhook that was paused.'),
      description: z.string().nullable(),
      reason: z
        .enum(PAUSE_REASONS)
        .exclude(['owner'])
        .describe(`gone: it answered 410; failing: nothing got through for ${FAILING_DAYS} days.`),
      failingSince: Timestamp.nullable(),
    }),
  })
  .meta({ id: 'WebhookPaused', description: 'Another webhook of yours was paused.' })

export type WebhookPaused = z.output<typeof WebhookPaused>

/** That a member has left a signed permit, as its provider's own webhooks are told. No log of events holds it. */
export const RescueOffered = z
  .object({
    type: z.literal('rescue.offered'),
    id: EventId.describe('The same for each webhook that is told, and for each attempt.'),
    time: IsoTime.describe('When it was handed in, in ISO 8601.'),
    chainId: ChainId,
    data: z.object({
      rescueId: RescueId,
      provider: Address.describe('Your wallet.'),
      owner: Address.describe('The member, whose permission it is.'),
      token: Address,
      value: Uint256.describe('The allowance that it sets, in the token’s smallest unit.'),
      deadline: Timestamp.describe('Until when it can be carried.'),
      nonce: Uint256,
      subscriptions: z.array(SubscriptionId).describe('Of yours, which it saves.'),
    }),
  })
  .meta({
    id: 'RescueOffered',
    description:
      'A member of yours has left a signed permit for you to carry. GET /rescues has its signature.',
  })

export type RescueOffered = z.output<typeof RescueOffered>

/** The first message to a new URL: whoever answers with its text wants a webhook there. */
export const WebhookChallenge = z
  .object({
    type: z.literal('webhook.challenge'),
    id: z.string().regex(/^evt_challenge_[0-9a-f]{32}$/),
    challenge: z.string().describe('To be answered, as the whole text.'),
  })
  .meta({ id: 'WebhookChallenge', description: 'Whether the URL is of somebody who wants a webhook there.' })

export type WebhookChallenge = z.output<typeof WebhookChallenge>

/** What the owner of a webhook has sent to it. No log of events holds it. */
export const WebhookTest = z
  .object({
    type: z.literal('webhook.test'),
    id: z.string().regex(/^evt_test_[0-9a-f]{32}$/),
    time: IsoTime.describe('When it was sent, in ISO 8601.'),
    data: z.object({ webhookId: WebhookId }),
  })
  .meta({ id: 'WebhookTest', description: 'A test that you asked for. It says nothing that happened.' })

export type WebhookTest = z.output<typeof WebhookTest>

const eventPost = (type: string, schema: z.ZodObject): Post => ({
  schema,
  summary: `An event of the type ${type}`,
  answer: { status: '2XX', description: 'It has come. Any other status has it sent again.' },
})

/**
 * What is posted to the URL of a webhook, by type, as the document of the API shows it at the operation that makes one. The
 * test is shown at the operation that sends it.
 */
export const WEBHOOK_POSTS: Readonly<Record<string, Post>> = {
  ...Object.fromEntries(
    Object.entries(EVENT_SCHEMAS).map(([type, schema]) => [type, eventPost(type, schema)]),
  ),
  'webhook.paused': eventPost('webhook.paused', WebhookPaused),
  'rescue.offered': eventPost('rescue.offered', RescueOffered),
  'webhook.challenge': {
    schema: WebhookChallenge,
    summary: 'The question to a new URL',
    answer: {
      status: '200',
      description: '`challenge` as the text. With any other answer no webhook is made.',
    },
  },
}
