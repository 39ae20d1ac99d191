import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { DeliveryNotFoundError } from '../../errors/webhooks.ts'
import { Timestamp } from '../../schema/numbers.ts'
import { WebhookId } from '../../schema/webhookId.ts'
import { Delivery, oneWebhookErrors, toDelivery } from './webhook.ts'

export const redeliverEvent = defineOperation({
  name: 'redeliver_webhook_event',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Deliver one event again to one of your webhooks, out of order',
  rest: { method: 'POST', path: '/developer/webhooks/:id/deliveries/:eventId/redeliver' },
  tool: { profiles: ['provider'], text: ({ delivery }) => `${delivery.eventId} is sent again.` },
  errors: [...oneWebhookErrors, DeliveryNotFoundError],
  input: z.object({
    id: WebhookId,
    eventId: z.string().regex(/^evt_[0-9a-f]{40}$/, 'must be the id of an event'),
  }),
  output: z.object({ delivery: Delivery }),
  handle: async ({ input: { id, eventId }, subject, webhooks }) => ({
    delivery: toDelivery(await webhooks.redeliver(subject, id, eventId)),
  }),
})

export const redeliverEventsSince = defineOperation({
  name: 'redeliver_webhook_events',
  effect: 'manage',
  scope: 'webhooks',
  summary: 'Deliver again all events since a time to one of your webhooks, out of order',
  description: 'Also those from before it was made. What still waits keeps its place.',
  rest: { method: 'POST', path: '/developer/webhooks/:id/redeliver' },
  tool: { profiles: ['provider'], text: ({ since }) => `All events since ${since} are sent again.` },
  buckets: ['write'],
  errors: oneWebhookErrors,
  input: z.object({
    id: WebhookId,
    since: Timestamp.describe('Unix time in seconds, of the events’ blocks.'),
  }),
  output: z.object({ since: Timestamp, accepted: z.literal(true) }),
  async handle({ input: { id, since }, subject, webhooks }) {
    await webhooks.redeliverSince(subject, id, since)
    return { since, accepted: true as const }
  },
})
