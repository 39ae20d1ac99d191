import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { pageAnswer, pageFields } from '../../schema/page.ts'
import { toWebhook, Webhook, webhookErrors, webhookLine } from './webhook.ts'

const PAGE = { default: 25, max: 100 }

export const listWebhooks = defineOperation({
  name: 'list_webhooks',
  effect: 'read',
  scope: 'webhooks',
  summary: 'Your webhooks, newest first',
  rest: { method: 'GET', path: '/developer/webhooks' },
  tool: {
    profiles: ['provider'],
    text: ({ webhooks }) => webhooks.map(webhookLine).join('\n') || 'You have no webhooks.',
  },
  errors: webhookErrors,
  input: z.object({ first: pageFields(PAGE).first, after: pageFields(PAGE).after }),
  output: z.object({ webhooks: z.array(Webhook), nextCursor: pageAnswer.nextCursor }),
  async handle({ input: { first = PAGE.default, after }, subject, webhooks }) {
    const { rows, nextCursor } = await webhooks.list(subject, { first, after })
    return { webhooks: rows.map(toWebhook), nextCursor }
  },
})
