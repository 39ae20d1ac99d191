import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { UnprovenUrlError } from '../../errors/webhooks.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { oneWebhookErrors, toWebhook, Webhook, webhookLine, wishes } from './webhook.ts'

/** Changes what is given, and leaves the rest. */
export const changeWebhook = defineOperation({
  name: 'change_webhook',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Change one of your webhooks',
  description:
    'What is left out stays; null stands for the default, and `filters` are replaced as a whole. A new URL has to answer ' +
    'a challenge first, which counts in `challengesDaily`, and gets what still waits.',
  rest: { method: 'POST', path: '/developer/webhooks/:id' },
  tool: { profiles: ['provider'], text: ({ webhook }) => webhookLine(webhook) },
  buckets: ['write'],
  errors: [...oneWebhookErrors, UnprovenUrlError],
  input: z.object({
    id: WebhookId,
    url: wishes.url.optional(),
    chainId: wishes.chainId.nullable().optional(),
    types: wishes.types.nullable().optional(),
    filters: wishes.filters.optional(),
    finality: wishes.finality.optional(),
    description: wishes.description.nullable().optional(),
  }),
  output: z.object({ webhook: Webhook }),
  async handle({ input, subject, webhooks, mayChallenge }) {
    const { id, url, chainId, types, filters, finality, description } = input
    const { subscriptionId = null, provider = null, account = null } = filters ?? {}
    const change = {
      ...(url === undefined ? {} : { url }),
      ...(chainId === undefined ? {} : { chainId }),
      ...(types === undefined ? {} : { types }),
      ...(filters === undefined ? {} : { subscriptionId, provider, account }),
      ...(finality === undefined ? {} : { finality }),
      ...(description === undefined ? {} : { description }),
    }
    const changed = await webhooks.change(subject, id, change, mayChallenge)
    return { webhook: toWebhook(changed) }
  },
})
