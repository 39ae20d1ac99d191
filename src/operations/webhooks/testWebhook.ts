import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { WebhookTest } from '../../presentation/webhookMessages.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { DeliveryAnswer, oneWebhookErrors, toDeliveryAnswer } from './webhook.ts'

export const testWebhook = defineOperation({
  name: 'test_webhook',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Send a test event to one of your webhooks, and see what it answers',
  description: 'Its type is webhook.test. It is sent once, and is no part of the log.',
  rest: { method: 'POST', path: '/developer/webhooks/:id/test' },
  tool: {
    profiles: ['provider'],
    text: ({ delivered, answer: { status, failure, durationMs } }) =>
      `${delivered ? 'Delivered' : 'Not delivered'}: ${status ?? failure} after ${durationMs} ms.`,
  },
  buckets: ['write'],
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({
    delivered: z.boolean().describe('Whether it answered with a status from 200 to 299.'),
    answer: DeliveryAnswer,
  }),
  posts: {
    'webhook.test': {
      schema: WebhookTest,
      summary: 'A test, sent once',
      answer: {
        status: '2XX',
        description: 'It has come. Any status is shown to whoever asked for the test.',
      },
    },
  },
  async handle({ input, subject, webhooks }) {
    const answer = toDeliveryAnswer(await webhooks.test(subject, input.id))
    const { status } = answer
    return { delivered: status !== null && status >= 200 && status < 300, answer }
  },
})
