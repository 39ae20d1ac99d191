import { Timestamp } from '@remit/engine/schema/numbers'
import { pageAnswer, pageFields } from '@remit/engine/schema/page'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { DeliveryNotFoundError, MaxWebhooksError, UnprovenUrlError } from '../errors/webhooks.ts'
import { DELIVERY_STATES, WebhookId } from '../ports/webhooks.ts'
import { WEBHOOK_POSTS, WebhookTest } from '../webhooks/webhookMessages.ts'
import {
  Delivery,
  DeliveryAnswer,
  oneWebhookErrors,
  toDelivery,
  toWebhook,
  Webhook,
  webhookErrors,
  webhookFields,
  webhookLine,
} from './webhookSchemas.ts'

// The operations by which owners manage their webhooks. `owner` is the subject of the caller's key or session; `countNewWebhook` and
// `takeChallenge` take from the caller's limits. `webhooks/` delivers.

const PAGE = { default: 25, max: 100 }

const toolWithLine = {
  profiles: ['provider'],
  text: ({ webhook }: { webhook: z.output<typeof Webhook> }) => webhookLine(webhook),
} as const

const KEEP_THE_SECRET = 'Keep the secret now: it cannot be shown again. Rotate it if it is lost.'

/** Makes a webhook. Only this answer, and that of a rotation, ever shows a secret. */
export const createWebhook = defineServiceOperation({
  name: 'create_webhook',
  effect: 'manage',
  summary: 'Have events posted to a URL of yours',
  description:
    'The URL first gets a POST with a field `challenge` and has to answer 200 with exactly its text. How many of these are sent ' +
    'in a day is limited, whatever comes of them (`challengesDaily`). Events are signed after ' +
    'Standard Webhooks and delivered at least once, in order for each subscription, from now on; list_events has the past.',
  access: 'webhookWrite',
  rest: { method: 'POST', path: '/developer/webhooks', status: 201 },
  tool: {
    profiles: ['provider'],
    text: ({ webhook, secret, warning }) => `${webhookLine(webhook)}\nSecret: ${secret}\n${warning}`,
  },
  errors: [...webhookErrors, UnprovenUrlError, MaxWebhooksError],
  input: z.object({
    url: webhookFields.url,
    chainId: webhookFields.chainId.optional(),
    types: webhookFields.types.optional(),
    filters: webhookFields.filters.optional(),
    finality: webhookFields.finality.optional(),
    description: webhookFields.description.optional(),
  }),
  output: z.object({
    webhook: Webhook,
    secret: z.string().describe('Signs what is sent (whsec_…). It cannot be shown again.'),
    publicKey: z.string().describe('Verifies the signatures v1a (whpk_…), the same for all webhooks.'),
    warning: z.string(),
  }),
  posts: WEBHOOK_POSTS,
  async handle({ input, owner, webhooks, countNewWebhook, takeChallenge }) {
    const { url, chainId = null, types = null, filters = {}, finality = 'seen', description = null } = input
    const { subscriptionId = null, provider = null, account = null } = filters
    const wanted = { url, chainId, types, subscriptionId, provider, account, finality, description }
    const { webhook, secret } = await countNewWebhook(() => webhooks.create(owner, wanted, takeChallenge))
    return {
      webhook: toWebhook(webhook),
      secret,
      publicKey: await webhooks.publicKey(),
      warning: KEEP_THE_SECRET,
    }
  },
})

export const listWebhooks = defineServiceOperation({
  name: 'list_webhooks',
  effect: 'read',
  summary: 'Your webhooks, newest first',
  access: 'webhook',
  rest: { method: 'GET', path: '/developer/webhooks' },
  tool: {
    profiles: ['provider'],
    text: ({ webhooks }) => webhooks.map(webhookLine).join('\n') || 'You have no webhooks.',
  },
  errors: webhookErrors,
  input: z.object({ first: pageFields(PAGE).first, after: pageFields(PAGE).after }),
  output: z.object({ webhooks: z.array(Webhook), nextCursor: pageAnswer.nextCursor }),
  async handle({ input: { first = PAGE.default, after }, owner, webhooks }) {
    const { rows, nextCursor } = await webhooks.list(owner, { first, after })
    return { webhooks: rows.map(toWebhook), nextCursor }
  },
})

/** Needs a key as all of `/developer/webhooks` does; the public key itself is no secret. */
export const getWebhookKey = defineServiceOperation({
  name: 'get_webhook_key',
  effect: 'read',
  summary: 'The public key that verifies the signatures v1a of webhooks',
  access: 'webhook',
  rest: { method: 'GET', path: '/developer/webhooks/key' },
  tool: false,
  errors: webhookErrors,
  input: z.object({}),
  output: z.object({
    algorithm: z.literal('ed25519'),
    publicKey: z.string().describe('whpk_ and the 32 bytes of the key in Base64.'),
  }),
  handle: async ({ webhooks }) => ({ algorithm: 'ed25519' as const, publicKey: await webhooks.publicKey() }),
})

export const getWebhook = defineServiceOperation({
  name: 'get_webhook',
  effect: 'read',
  summary: 'One of your webhooks',
  access: 'webhook',
  rest: { method: 'GET', path: '/developer/webhooks/:id' },
  tool: toolWithLine,
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, owner, webhooks }) => ({
    webhook: toWebhook(await webhooks.get(owner, input.id)),
  }),
})

/** Changes what is given, and leaves the rest. */
export const changeWebhook = defineServiceOperation({
  name: 'change_webhook',
  effect: 'manage',
  summary: 'Change one of your webhooks',
  description:
    'What is left out stays; null stands for the default (for tools in quotes, "null", since null there leaves out), and ' +
    '`filters` are replaced as a whole. A new URL has to answer a challenge first, which counts in `challengesDaily`, and gets what still waits.',
  access: 'webhookWrite',
  rest: { method: 'POST', path: '/developer/webhooks/:id' },
  tool: toolWithLine,
  errors: [...oneWebhookErrors, UnprovenUrlError],
  input: z.object({
    id: WebhookId,
    url: webhookFields.url.optional(),
    chainId: webhookFields.chainId.nullable().optional(),
    types: webhookFields.types.nullable().optional(),
    filters: webhookFields.filters.optional(),
    finality: webhookFields.finality.optional(),
    description: webhookFields.description.nullable().optional(),
  }),
  output: z.object({ webhook: Webhook }),
  async handle({ input, owner, webhooks, takeChallenge }) {
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
    const changed = await webhooks.change(owner, id, change, takeChallenge)
    return { webhook: toWebhook(changed) }
  },
})

export const pauseWebhook = defineServiceOperation({
  name: 'pause_webhook',
  effect: 'manage',
  summary: 'Stop deliveries to one of your webhooks for a while',
  description: 'Nothing is lost: what happens meanwhile is delivered, in order, once it is resumed.',
  access: 'webhook',
  rest: { method: 'POST', path: '/developer/webhooks/:id/pause' },
  tool: toolWithLine,
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, owner, webhooks }) => ({
    webhook: toWebhook(await webhooks.pause(owner, input.id)),
  }),
})

export const resumeWebhook = defineServiceOperation({
  name: 'resume_webhook',
  effect: 'manage',
  summary: 'Go on with deliveries to one of your webhooks',
  description: 'Also where the service has paused it. It begins with what has happened since, in order.',
  access: 'webhook',
  rest: { method: 'POST', path: '/developer/webhooks/:id/resume' },
  tool: toolWithLine,
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook }),
  handle: async ({ input, owner, webhooks }) => ({
    webhook: toWebhook(await webhooks.resume(owner, input.id)),
  }),
})

export const rotateWebhookSecret = defineServiceOperation({
  name: 'rotate_webhook_secret',
  effect: 'manage',
  summary: 'Replace the secret of one of your webhooks',
  description: 'For a day everything is signed with both secrets, so that receivers can change over.',
  access: 'webhookWrite',
  rest: { method: 'POST', path: '/developer/webhooks/:id/rotate_secret' },
  tool: { profiles: ['provider'], text: ({ secret, warning }) => `New secret: ${secret}\n${warning}` },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({
    webhook: Webhook,
    secret: z.string().describe('It cannot be shown again.'),
    warning: z.string(),
  }),
  async handle({ input, owner, webhooks }) {
    const { webhook, secret } = await webhooks.rotateSecret(owner, input.id)
    return { webhook: toWebhook(webhook), secret, warning: KEEP_THE_SECRET }
  },
})

export const testWebhook = defineServiceOperation({
  name: 'test_webhook',
  effect: 'manage',
  summary: 'Send a test event to one of your webhooks, and see what it answers',
  description: 'Its type is webhook.test. It is sent once, and is no part of the log.',
  access: 'webhookWrite',
  rest: { method: 'POST', path: '/developer/webhooks/:id/test' },
  tool: {
    profiles: ['provider'],
    text: ({ delivered, answer: { status, failure, durationMs } }) =>
      `${delivered ? 'Delivered' : 'Not delivered'}: ${status ?? failure} after ${durationMs} ms.`,
  },
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
  async handle({ input, owner, webhooks }) {
    const answer = await webhooks.test(owner, input.id)
    const { status } = answer
    return { delivered: status !== null && status >= 200 && status < 300, answer }
  },
})

export const listWebhookDeliveries = defineServiceOperation({
  name: 'list_webhook_deliveries',
  effect: 'read',
  summary: 'What was sent to one of your webhooks and what it answered, newest first',
  description: 'Kept for 7 days after it was delivered, and for 30 days after it was given up.',
  access: 'webhook',
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
  async handle({ input: { id, state, first = PAGE.default, after }, owner, webhooks }) {
    const { rows, nextCursor } = await webhooks.deliveries(owner, id, { first, after, state })
    return { deliveries: rows.map(toDelivery), nextCursor }
  },
})

export const redeliverEvent = defineServiceOperation({
  name: 'redeliver_webhook_event',
  effect: 'manage',
  summary: 'Deliver one event again to one of your webhooks, out of order',
  access: 'webhook',
  rest: { method: 'POST', path: '/developer/webhooks/:id/deliveries/:eventId/redeliver' },
  tool: { profiles: ['provider'], text: ({ delivery }) => `${delivery.eventId} is sent again.` },
  errors: [...oneWebhookErrors, DeliveryNotFoundError],
  input: z.object({
    id: WebhookId,
    eventId: z.string().regex(/^evt_[0-9a-f]{40}$/, 'must be the id of an event'),
  }),
  output: z.object({ delivery: Delivery }),
  handle: async ({ input: { id, eventId }, owner, webhooks }) => ({
    delivery: toDelivery(await webhooks.redeliver(owner, id, eventId)),
  }),
})

export const redeliverEventsSince = defineServiceOperation({
  name: 'redeliver_webhook_events',
  effect: 'manage',
  summary: 'Deliver again all events since a time to one of your webhooks, out of order',
  description: 'Also those from before it was made. What still waits keeps its place.',
  access: 'webhookWrite',
  rest: { method: 'POST', path: '/developer/webhooks/:id/redeliver' },
  tool: { profiles: ['provider'], text: ({ since }) => `All events since ${since} are sent again.` },
  errors: oneWebhookErrors,
  input: z.object({
    id: WebhookId,
    since: Timestamp.describe('Unix time in seconds, of the events’ blocks.'),
  }),
  output: z.object({ since: Timestamp, accepted: z.literal(true) }),
  async handle({ input: { id, since }, owner, webhooks }) {
    await webhooks.redeliverSince(owner, id, since)
    return { since, accepted: true as const }
  },
})

export const deleteWebhook = defineServiceOperation({
  name: 'delete_webhook',
  effect: 'manage',
  summary: 'Delete one of your webhooks, with all that waits for it',
  access: 'webhook',
  rest: { method: 'DELETE', path: '/developer/webhooks/:id' },
  tool: { profiles: ['provider'], text: ({ webhook }) => `${webhook.id} is deleted.` },
  errors: oneWebhookErrors,
  input: z.object({ id: WebhookId }),
  output: z.object({ webhook: Webhook, deleted: z.literal(true) }),
  handle: async ({ input, owner, webhooks }) => ({
    webhook: toWebhook(await webhooks.delete(owner, input.id)),
    deleted: true as const,
  }),
})
