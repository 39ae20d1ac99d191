import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '@remit/testing/support/service/serve'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { InventedLog, subscriptionId } from '@remit/testing/support/webhooks/InventedLog'
import { Receiver } from '@remit/testing/support/webhooks/Receiver'
import { anyChallenge, listeningTo, startDelivering } from '@remit/testing/support/webhooks/startDelivering'
import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { SecretBox } from '../../store/SecretBox.ts'
import { WebhooksWatch } from '../WebhooksWatch.ts'
import { wakeEndpoints } from './claims.ts'
import { againQueue, newDelivery, SINCE_QUEUE } from './rows.ts'

const [A, B] = [subscriptionId(1), subscriptionId(2)]
/** Longer than the receiver takes and the store writes, so that a turn ends while the next read is on its way. */
const READ_MS = 200
const EVENTS = 30

describeStores('turns of webhooks', (stores) => {
  let receiver: Receiver
  let log: InventedLog
  beforeAll(async () => {
    log = new InventedLog(stores.store)
    await log.begin()
  })
  beforeEach(async () => {
    receiver = await new Receiver().start()
  })
  afterEach(() => receiver.close())

  it('send nothing twice where a turn ends while the store’s next answer is on its way', async () => {
    const slow = new WeakSet<object>()
    const readsSlowly: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('webhook_deliveries')) slow.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (slow.has(queryId)) await sleep(READ_MS)
        return result
      },
    }
    receiver.manner = () => 'slow'
    const { store } = stores
    const delivering = startDelivering({ ...store, db: store.db.withPlugin(readsSlowly) })
    await delivering.start()
    const { webhook } = await delivering.webhooks.create(
      'ada',
      listeningTo(receiver.url('/shop')),
      anyChallenge,
    )
    for (let event = 0; event < EVENTS; event += 1) {
      await log.append([event % 2 === 0 ? A : B])
      await sleep(50)
    }
    await expect.poll(() => receiver.at('/shop').length, { timeout: 20_000 }).toBeGreaterThanOrEqual(EVENTS)
    await sleep(2 * READ_MS)
    const sequences = receiver.at('/shop').map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)])
    expect(sequences).toHaveLength(EVENTS)
    await delivering.webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 60_000)

  it('of a receiver that takes its time are no wait for a process', async () => {
    let received = 0
    const url = await serve(async (request, response) => {
      const { challenge } = z.object({ challenge: z.string().optional() }).parse(await json(request))
      if (challenge !== undefined) return void response.end(challenge)
      received += 1
      await sleep(300)
      response.end('ok')
    })
    const silent = { info: () => {}, warn: () => {}, error: () => {} }
    const watch = new WebhooksWatch({ store: stores.store, log: silent })
    const behindSeconds = async () => {
      await watch.look()
      return watch.health()?.behindSeconds ?? 0
    }
    const delivering = startDelivering(stores.store, { leaseMs: 1_000 })
    await delivering.start()
    const { webhook } = await delivering.webhooks.create('ada', listeningTo(url), anyChallenge)
    await log.append(Array.from({ length: 20 }, () => A))
    const seen: number[] = []
    while (received < 15) {
      seen.push(await behindSeconds())
      await sleep(100)
    }
    await delivering.stop()
    // What still waits is as old as the first one.
    seen.push(await behindSeconds())
    expect(Math.max(...seen)).toBeLessThan(2)
    await delivering.webhooks.delete('ada', webhook.id)
  }, 60_000)

  it('hold what happens to one subscription, though another one has a backlog at a slow receiver', async () => {
    const times = new Map<string, number>()
    const url = await serve(async (request, response) => {
      const body = z.object({ challenge: z.string().optional(), id: z.string() }).parse(await json(request))
      if (body.challenge !== undefined) return void response.end(body.challenge)
      times.set(body.id, performance.now())
      await sleep(300)
      response.end('ok')
    })
    const delivering = startDelivering(stores.store)
    await delivering.start()
    const { webhook } = await delivering.webhooks.create('ada', listeningTo(url), anyChallenge)
    await log.append(Array.from({ length: 400 }, () => A))
    for (let round = 0; round < 4; round += 1) {
      const loggedAt = performance.now()
      await log.append([B])
      const id = log.events.at(-1)?.id ?? ''
      await expect.poll(() => times.get(id), { timeout: 60_000, interval: 20 }).toBeDefined()
      // A turn of the endpoint, and room for a busy machine. Behind the backlog it would be two minutes.
      expect((times.get(id) ?? 0) - loggedAt).toBeLessThan(10_000)
    }
    await delivering.webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 120_000)

  it('hold what happens on one chain, though another one has a backlog', async () => {
    const delivering = startDelivering(stores.store)
    const wanted = listeningTo(receiver.url('/chains'))
    const { webhook } = await delivering.webhooks.create('ada', wanted, anyChallenge)
    const event = (chainId: number, sequence: number) => {
      const id = `evt_${chainId}_${sequence}`
      const type = 'subscription.cancelled'
      const body = JSON.stringify({ type, id, sequence })
      const message = {
        chain_id: chainId,
        sequence,
        event_id: id,
        type,
        queue: againQueue(chainId, sequence),
        body,
      }
      return newDelivery(webhook.id, message, Date.now())
    }
    const backlog = Array.from({ length: 100 }, (_, place) => event(1, place + 1))
    await stores.store.transaction(async (db) => {
      await db
        .insertInto('webhook_deliveries')
        .values([...backlog, event(2, 1)])
        .execute()
      await wakeEndpoints(db, stores.store.kind, [webhook.id])
    })
    await delivering.start()
    await expect.poll(() => receiver.at('/chains').length, { timeout: 20_000 }).toBe(101)
    const ids = receiver.at('/chains').map(({ id }) => id)
    // Within the first turn.
    expect(ids.indexOf('evt_2_1')).toBeLessThan(20)
    await delivering.webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 60_000)

  it('let nothing overtake an event that cannot be encoded yet', async () => {
    let isWell = true
    let refused = 0
    const first = (log.events.at(-1)?.sequence ?? 0) + 1
    const delivering = startDelivering(stores.store, {
      refuses(events) {
        const isRefused = !isWell && events.some(({ sequence }) => sequence === first)
        if (isRefused) refused += 1
        return isRefused
      },
    })
    const { webhooks } = delivering
    const create = (path: string) => webhooks.create('ada', listeningTo(receiver.url(path)), anyChallenge)
    await delivering.start()
    const { webhook: late } = await create('/late')
    await webhooks.pause('ada', late.id)
    await log.append([A])
    // It hears the second event alone, so that only this one is at hand as it travels.
    const { webhook: soon } = await create('/soon')
    await log.append([A])
    const heard = (path: string) => receiver.at(path).map(({ sequence }) => sequence)
    await expect.poll(() => heard('/soon'), { timeout: 20_000 }).toEqual([first + 1])
    isWell = false
    await webhooks.resume('ada', late.id)
    await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThan(1)
    expect(heard('/late')).toEqual([])
    isWell = true
    await expect.poll(() => heard('/late'), { timeout: 20_000 }).toEqual([first, first + 1])
    for (const { id } of [late, soon]) await webhooks.delete('ada', id)
    await delivering.stop()
  }, 60_000)

  it('hold what happens on one chain, though the node of another one does not answer', async () => {
    const delivering = startDelivering(stores.store, { hangs: () => true })
    const wanted = listeningTo(receiver.url('/hanging'))
    const { webhook } = await delivering.webhooks.create('ada', wanted, anyChallenge)
    await delivering.start()
    await log.append([A])
    const message = { chain_id: 2, type: 'subscription.cancelled', body: '{"type":"other","id":"evt"}' }
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      const id = `evt_other_${sequence}`
      const row = { ...message, sequence, event_id: id, queue: againQueue(2, sequence) }
      await stores.store.transaction(async (db) => {
        await db
          .insertInto('webhook_deliveries')
          .values(newDelivery(webhook.id, row, Date.now()))
          .execute()
        await wakeEndpoints(db, stores.store.kind, [webhook.id])
      })
      await expect.poll(() => receiver.at('/hanging').length, { timeout: 15_000 }).toBe(sequence)
    }
    await delivering.webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 60_000)

  it('send in order and once what was asked for again before it was sent', async () => {
    const earlier = startDelivering(stores.store)
    await earlier.start()
    const wanted = listeningTo(receiver.url('/since'))
    const { webhook } = await earlier.webhooks.create('ada', wanted, anyChallenge)
    const lanesLeft = () => stores.store.db.selectFrom('webhook_lanes').selectAll().execute()
    await expect.poll(lanesLeft, { timeout: 20_000 }).toEqual([])
    await earlier.stop()
    // Nobody delivers now, and the endpoint has no cursor of its own.
    const delivering = startDelivering(stores.store)
    const { webhooks } = delivering
    const before = log.events.at(-1)?.sequence ?? 0
    await log.append([A, A, A, A, A, A])
    for (const since of [0, 1, 2]) await webhooks.redeliverSince('ada', webhook.id, since)
    // However often it is asked for, one lane reads it.
    const lanes = await stores.store.db.selectFrom('webhook_lanes').select('queue').execute()
    expect(lanes.filter(({ queue }) => queue === SINCE_QUEUE)).toHaveLength(1)
    await delivering.start()
    const fresh = () =>
      receiver.at('/since').flatMap(({ sequence = 0 }) => (sequence > before ? [sequence - before] : []))
    await expect.poll(() => fresh().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(6)
    await sleep(500)
    expect(fresh()).toEqual([1, 2, 3, 4, 5, 6])
    await webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 60_000)

  it('take back what was told before a pause of more than a week', async () => {
    const first = startDelivering(stores.store)
    await first.start()
    const { webhook } = await first.webhooks.create('ada', listeningTo(receiver.url('/paused')), anyChallenge)
    await log.append([B])
    const told = log.events.at(-1)?.id ?? ''
    await expect.poll(() => receiver.at('/paused').map(({ id }) => id), { timeout: 20_000 }).toEqual([told])
    await first.webhooks.pause('ada', webhook.id)
    await first.stop()
    const weekAgo = { attempted_at: Date.now() - 8 * 24 * 3_600_000 }
    await stores.store.db
      .updateTable('webhook_deliveries')
      .set(weekAgo)
      .where('endpoint_id', '=', webhook.id)
      .execute()
    await log.retract(B, 1)
    // It deletes what is old when it begins.
    const second = startDelivering(stores.store)
    await second.start()
    await sleep(1_000)
    await second.webhooks.resume('ada', webhook.id)
    const taken = () => receiver.at('/paused').flatMap(({ ids }) => ids)
    await expect.poll(taken, { timeout: 20_000 }).toEqual([told])
    await second.webhooks.delete('ada', webhook.id)
    await second.stop()
  }, 60_000)

  it('go to a new address at once, whatever the old one said', async () => {
    const hour = 3_600_000
    const retries = {
      firstWaitMs: hour,
      longestWaitMs: hour,
      giveUpAfterMs: 10 * hour,
      pauseEndpointAfterMs: hour,
    }
    receiver.manner = (path) => (path === '/old' ? 'fail' : 'accept')
    const delivering = startDelivering(stores.store, { retries })
    await delivering.start()
    const { webhooks } = delivering
    const { webhook } = await webhooks.create('ada', listeningTo(receiver.url('/old')), anyChallenge)
    await log.append([A])
    const id = log.events.at(-1)?.id
    await expect.poll(() => receiver.at('/old').length, { timeout: 20_000 }).toBe(1)
    await webhooks.change('ada', webhook.id, { url: receiver.url('/new') }, anyChallenge)
    await expect.poll(() => receiver.at('/new').map((one) => one.id), { timeout: 20_000 }).toEqual([id])
    await webhooks.delete('ada', webhook.id)
    await delivering.stop()
  }, 60_000)

  it('that cannot begin take no place, and say why', async () => {
    const warned: unknown[] = []
    const delivering = startDelivering(stores.store, {
      warn: (message, facts) => void warned.push({ message, ...facts }),
    })
    await delivering.start()
    const { webhook } = await delivering.webhooks.create(
      'ada',
      listeningTo(receiver.url('/lost')),
      anyChallenge,
    )
    const secret = new SecretBox(['33'.repeat(32)]).seal('another', 'place')
    await stores.store.db
      .updateTable('webhook_endpoints')
      .set({ secret })
      .where('id', '=', webhook.id)
      .execute()
    await log.append([A])
    const reason = 'A secret in the store was sealed with a key that SECRETS_KEY does not list.'
    await expect
      .poll(() => warned, { timeout: 20_000 })
      .toContainEqual({
        message: 'The secret of a webhook cannot be opened',
        id: webhook.id,
        reason,
      })
    // After what would count as slow.
    await sleep(1_200)
    expect(delivering.deliverer.health()).toMatchObject({ quick: 0, slow: 0 })
    await delivering.stop()
  }, 60_000)
})
