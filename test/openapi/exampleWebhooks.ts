import { setTimeout as sleep } from 'node:timers/promises'
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  redeliverEventsSince,
  testWebhook,
} from '@remit/service/testing/operations/webhooks'
import type { JsonObject } from '@remit/service/testing/surfaces/openapi/SchemaBook'
import * as z from 'zod'
import type { Receiver } from '../support/webhooks/Receiver.ts'
import type { ExampleChain } from './exampleChain.ts'
import type { ExampleService } from './exampleService.ts'
import { steady } from './steady.ts'

/** What the environment of a service says that sends to this machine. */
export const SENDING = {
  WEBHOOKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  // One developer makes all webhooks of the examples, up to the most.
  LIMIT_CHALLENGES_DAILY: '1000',
}

/** A developer's webhooks in the examples. */
export interface ExampleWebhooks {
  /** A URL that answers the challenge. */
  readonly url: string
  /** One that has delivered an event. */
  readonly id: string
  readonly eventId: string
  /** One that can be deleted. */
  readonly deletable: string
}

/** Nobody listens there. */
export const UNPROVEN_URL = 'http://127.0.0.1:9/'

const Made = z.object({ webhook: z.object({ id: z.string() }) })
const Delivered = z.object({ deliveries: z.tuple([z.object({ eventId: z.string() })]) })

const MOST_WAIT_MS = 60_000

/** Makes them, of a service that stands at the chain's latest block. Throws unless one event is delivered within a minute. */
export async function makeWebhooks(
  service: ExampleService,
  receiver: Receiver,
  { cast }: ExampleChain,
): Promise<ExampleWebhooks> {
  const url = receiver.url('/webhooks')
  const make = async (wishes: object) =>
    Made.parse((await service.call(createWebhook, { url, ...wishes })).body).webhook.id
  const filters = { subscriptionId: cast.coffeeWeekly.id }
  // Of all the past this is one event.
  const id = await make({ types: ['subscription.created'], filters })
  await service.call(redeliverEventsSince, { id, since: 0 })
  const deadline = performance.now() + MOST_WAIT_MS
  while (performance.now() < deadline) {
    const { body } = await service.call(listWebhookDeliveries, { id, state: 'delivered' })
    const { data } = Delivered.safeParse(body)
    if (data !== undefined) {
      const [{ eventId }] = data.deliveries
      return { url, id, eventId, deletable: await make({ types: ['provider.edited'] }) }
    }
    await sleep(50)
  }
  throw new Error(`The webhook ${id} has delivered nothing within ${MOST_WAIT_MS} ms`)
}

/**
 * What webhooks get that is no event, by type: the question to a new URL, a test, and what one is told of another that is gone.
 * They are deleted. Throws unless all of it comes within a minute.
 */
export async function recordNotices(
  service: ExampleService,
  receiver: Receiver,
  { cast }: ExampleChain,
): Promise<Readonly<Record<string, JsonObject>>> {
  const make = async (path: string, wishes: object) =>
    Made.parse((await service.call(createWebhook, { url: receiver.url(path), ...wishes })).body).webhook.id
  const { manner } = receiver
  receiver.manner = (path, body) => (path === '/gone' ? 'gone' : manner(path, body))
  const filters = { subscriptionId: cast.coffeeWeekly.id }
  const ids = [
    await make('/alarm', { types: ['webhook.paused'] }),
    await make('/gone', { types: ['subscription.created'], filters, description: 'The shop' }),
  ]
  await service.call(testWebhook, { id: ids[0] })
  await service.call(redeliverEventsSince, { id: ids[1], since: 0 })
  const deadline = performance.now() + MOST_WAIT_MS
  while (performance.now() < deadline) {
    const [tested, told] = receiver.at('/alarm')
    const [challenge] = receiver.challenges
    if (challenge !== undefined && tested !== undefined && told !== undefined) {
      for (const id of ids) await service.call(deleteWebhook, { id })
      const read = (body: string) => steady(z.record(z.string(), z.json()).parse(JSON.parse(body)))
      return {
        'webhook.paused': read(told.body),
        'webhook.challenge': read(challenge),
        'webhook.test': read(tested.body),
      }
    }
    await sleep(50)
  }
  throw new Error(`Nothing was told of the webhook ${ids[1]} within ${MOST_WAIT_MS} ms`)
}
