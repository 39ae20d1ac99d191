import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { KEEP_THE_SECRET } from './createWebhook.ts'
import { oneWebhookErrors, toWebhook, Webhook } from './webhook.ts'

export const rotateWebhookSecret = defineOperation({
  name: 'rotate_webhook_secret',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Replace the secret of one of your webhooks',
  description: 'For a day everything is signed with both secrets, so that receivers can change over.',
  rest: { method: 'POST', path: '/developer/webhooks/:id/rotate_secret' },
  tool: { profiles: ['provider'], text: ({ secret, warning }) => `New secret: ${secret}\n${warning}` },
  buckets: ['write'],
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({
    webhook: Webhook,
    secret: z.string().describe('It cannot be shown again.'),
    warning: z.string(),
  }),
  async handle({ input, subject, webhooks }) {
    const { webhook, secret } = await webhooks.rotateSecret(subject, input.id)
    return { webhook: toWebhook(webhook), secret, warning: KEEP_THE_SECRET }
  },
})
