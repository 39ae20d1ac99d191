import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { oneWebhookErrors, toWebhook, Webhook } from './webhook.ts'

export const deleteWebhook = defineOperation({
  name: 'delete_webhook',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Delete one of your webhooks, with all that waits for it',
  rest: { method: 'DELETE', path: '/developer/webhooks/:id' },
  tool: { profiles: ['provider'], text: ({ webhook }) => `${webhook.id} is deleted.` },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook, deleted: z.literal(true) }),
  handle: async ({ input, subject, webhooks }) => ({
    webhook: toWebhook(await webhooks.delete(subject, input.id)),
    deleted: true as const,
  }),
})
