import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { MaxWebhooksError, UnprovenUrlError } from '../../errors/webhooks.ts'
import { WEBHOOK_POSTS } from '../../presentation/webhookMessages.ts'
import { toWebhook, Webhook, webhookErrors, webhookLine, wishes } from './webhook.ts'

export const KEEP_THE_SECRET = 'Keep the secret now: it cannot be shown again. Rotate it if it is lost.'

/** Makes a webhook. Only this answer, and that of a rotation, ever shows a secret. */
export const createWebhook = defineOperation({
  name: 'create_webhook',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Have events posted to a URL of yours',
  description:
    'The URL first gets a POST with a field `challenge` and has to answer 200 with exactly its text. How many of these are sent ' +
    'in a day is limited, whatever comes of them (`challengesDaily`). Events are signed after ' +
    'Standard Webhooks and delivered at least once, in order for each subscription, from now on; `GET /events` has the past.',
  rest: { method: 'POST', path: '/developer/webhooks', status: 201 },
  tool: {
    profiles: ['provider'],
    text: ({ webhook, secret, warning }) => `${webhookLine(webhook)}\nSecret: ${secret}\n${warning}`,
  },
  buckets: ['write'],
  errors: [...webhookErrors, UnprovenUrlError, MaxWebhooksError],
  input: z.object({
    url: wishes.url,
    chainId: wishes.chainId.optional(),
    types: wishes.types.optional(),
    filters: wishes.filters.optional(),
    finality: wishes.finality.optional(),
    description: wishes.description.optional(),
  }),
  output: z.object({
    webhook: Webhook,
    secret: z.string().describe('Signs what is sent (whsec_…). It cannot be shown again.'),
    publicKey: z.string().describe('Verifies the signatures v1a (whpk_…), the same for all webhooks.'),
    warning: z.string(),
  }),
  posts: WEBHOOK_POSTS,
  async handle({ input, subject, webhooks, make, mayChallenge }) {
    const { url, chainId = null, types = null, filters = {}, finality = 'seen', description = null } = input
    const { subscriptionId = null, provider = null, account = null } = filters
    const wanted = { url, chainId, types, subscriptionId, provider, account, finality, description }
    const { webhook, secret } = await make(() => webhooks.create(subject, wanted, mayChallenge))
    return {
      webhook: toWebhook(webhook),
      secret,
      publicKey: await webhooks.publicKey(),
      warning: KEEP_THE_SECRET,
    }
  },
})
