import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { oneWebhookErrors, toWebhook, Webhook, webhookLine } from './webhook.ts'

const text = ({ webhook }: { webhook: z.output<typeof Webhook> }) => webhookLine(webhook)

export const pauseWebhook = defineOperation({
  effect: 'manage',
  scope: 'webhooks',
  name: 'pause_webhook',
  summary: 'Stop deliveries to one of your webhooks for a while',
  description: 'Nothing is lost: what happens meanwhile is delivered, in order, once it is resumed.',
  rest: { method: 'POST', path: '/developer/webhooks/:id/pause' },
  tool: { profiles: ['provider'], text },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, subject, webhooks }) => ({
    webhook: toWebhook(await webhooks.pause(subject, input.id)),
  }),
})

export const resumeWebhook = defineOperation({
  effect: 'manage',
  scope: 'webhooks',
  name: 'resume_webhook',
  summary: 'Go on with deliveries to one of your webhooks',
  description: 'Also where the service has paused it. It begins with what has happened since, in order.',
  rest: { method: 'POST', path: '/developer/webhooks/:id/resume' },
  tool: { profiles: ['provider'], text },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, subject, webhooks }) => ({
    webhook: toWebhook(await webhooks.resume(subject, input.id)),
  }),
})
