import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { DELIVERY_STATES } from '../../core/ports/webhooks.ts'
import { pageAnswer, pageFields } from '../../schema/page.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { Delivery, oneWebhookErrors, toDelivery } from './webhook.ts'

const PAGE = { default: 25, max: 100 }

export const listWebhookDeliveries = defineOperation({
  name: 'list_webhook_deliveries',
  effect: 'read',
  scope: 'webhooks',
  summary: 'What was sent to one of your webhooks and what it answered, newest first',
  description: 'Kept for 7 days after it was delivered, and for 30 days after it was given up.',
  rest: { method: 'GET', path: '/developer/webhooks/:id/deliveries' },
  tool: {
    profiles: ['provider'],
    text: ({ deliveries }) =>
      deliveries
        .map(({ eventId, type, state, attempts, last }) => {
          const answer = last === null ? '' : `, last ${last.status ?? last.failure}`
          return `${eventId} ${type}: ${state} after ${attempts} attempts${answer}`
        })
        .join('\n') || 'Nothing was sent yet.',
  },
  errors: oneWebhookErrors,
  input: z.object({
    id: WebhookId,
    state: z.enum(DELIVERY_STATES).optional().describe('Only deliveries in this state.'),
    first: pageFields(PAGE).first,
    after: pageFields(PAGE).after,
  }),
  output: z.object({ deliveries: z.array(Delivery), nextCursor: pageAnswer.nextCursor }),
  async handle({ input: { id, state, first = PAGE.default, after }, subject, webhooks }) {
    const { rows, nextCursor } = await webhooks.deliveries(subject, id, { first, after, state })
    return { deliveries: rows.map(toDelivery), nextCursor }
  },
})
