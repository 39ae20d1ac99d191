import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { oneWebhookErrors, toWebhook, Webhook, webhookLine } from './webhook.ts'

export const getWebhook = defineOperation({
  name: 'get_webhook',
  effect: 'read',
  scope: 'webhooks',
  summary: 'One of your webhooks',
  rest: { method: 'GET', path: '/developer/webhooks/:id' },
  tool: { profiles: ['provider'], text: ({ webhook }) => webhookLine(webhook) },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, subject, webhooks }) => ({
    webhook: toWebhook(await webhooks.get(subject, input.id)),
  }),
})
