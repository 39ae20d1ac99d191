import { json } from 'node:stream/consumers'
import { serve } from '@remit/testing/support/service/serve'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { CHAIN, InventedLog, subscriptionId } from '@remit/testing/support/webhooks/InventedLog'
import { knownOf, type Manner, Receiver } from '@remit/testing/support/webhooks/Receiver'
import {
  anyChallenge,
  listeningTo,
  QUICK_RETRIES,
  startDelivering,
} from '@remit/testing/support/webhooks/startDelivering'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { WebhooksWatch } from '../WebhooksWatch.ts'

const [A, B, C] = [subscriptionId(1), subscriptionId(2), subscriptionId(3)]
const OWNER = 'ada'
/** Machines are busy at times. */
const SOON = { timeout: 20_000 }
const first = 100

describeStores('webhooks', (stores) => {
  const receiver = new Receiver()
  let log: InventedLog
  let delivering: ReturnType<typeof startDelivering>
  let endpoint = 0

  beforeAll(async () => {
    await receiver.start()
    log = new InventedLog(stores.store)
    await log.begin()
    delivering = startDelivering(stores.store)
    await delivering.start()
  })
  afterAll(async () => {
    await delivering.stop()
    await receiver.close()
  })

  /** An endpoint of its own for a test. */
  async function listen(wishes: object = {}, manner: Manner | ((body: string) => Manner) = 'accept') {
    endpoint += 1
    const path = `/endpoint/${endpoint}`
    const others = receiver.manner
    receiver.manner = (asked, body) => {
      if (asked !== path) return others(asked, body)
      return typeof manner === 'function' ? manner(body) : manner
    }
    const wanted = { ...listeningTo(receiver.url(path)), ...wishes }
    const made = await delivering.webhooks.create(OWNER, wanted, anyChallenge)
    const { id } = made.webhook
    return { ...made, id, path, from: log.events.length, get: () => delivering.webhooks.get(OWNER, id) }
  }

  const sequencesAt = (path: string) => receiver.at(path).map(({ sequence }) => sequence)
  const known = (path: string, subscription: string) => knownOf(receiver.at(path)).get(subscription)
  const loggedOf = (subscription: string, from: number) =>
    log.events.slice(from).flatMap((event) => (event.subscription === subscription ? [event.sequence] : []))

  it('tells what happens after the creation, signed by the secret and in order', async () => {
    await log.append([A])
    const { path, secret, from } = await listen()
    await log.append([A, B])
    await log.append([A])
    await expect.poll(() => sequencesAt(path).length, SOON).toBe(3)
    expect(sequencesAt(path).toSorted()).toEqual(log.events.slice(from).map(({ sequence }) => sequence))
    expect(known(path, A)).toEqual(loggedOf(A, from))
    for (const { body, headers, id } of receiver.at(path)) {
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id, chainId: CHAIN })
      expect(headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
    }
  })

  it('tells each endpoint what it wants, and of a retraction only who was told what it takes back', async () => {
    const ofB = await listen({ subscriptionId: B })
    const payments = await listen({ types: ['payment.succeeded'] })
    const cancelled = await listen({ types: ['subscription.cancelled'] })
    await log.append([A, B])
    await log.retract(B, 1)
    await expect.poll(() => sequencesAt(cancelled.path).length, SOON).toBe(3)
    await expect
      .poll(() => receiver.at(ofB.path).map(({ type }) => type), SOON)
      .toEqual(['subscription.cancelled', 'retracted'])
    expect(receiver.at(payments.path)).toEqual([])
  })

  it('writes down what was delivered before a retraction of it is sent, so that none of it comes afterwards', async () => {
    const { path, id } = await listen({ subscriptionId: A }, (body) =>
      body.includes('"retracted"') ? 'hang' : 'accept',
    )
    await delivering.webhooks.pause(OWNER, id)
    await log.append([A])
    await log.retract(A, 1)
    // Resumed, it is given both at once.
    await delivering.webhooks.resume(OWNER, id)
    await expect.poll(() => sequencesAt(path), SOON).toHaveLength(2)
    const question = { first, after: undefined, state: undefined } as const
    expect((await delivering.webhooks.deliveries(OWNER, id, question)).rows).toMatchObject([
      { type: 'retracted', state: 'pending', attempts: 0 },
      { type: 'subscription.cancelled', state: 'delivered' },
    ])
    await delivering.webhooks.delete(OWNER, id)
  })

  it('holds back what follows in a subscription until it is delivered, and nothing of others', async () => {
    let failures = 0
    const { path, from } = await listen({}, (body) => {
      if (!body.includes(A) || failures >= 3) return 'accept'
      failures += 1
      return 'fail'
    })
    await log.append([A, B, C])
    await log.append([A, B, C])
    await expect.poll(() => known(path, A), SOON).toEqual(loggedOf(A, from))
    expect(known(path, B)).toEqual(loggedOf(B, from))
    const order = receiver.at(path).filter(({ accepted }) => accepted)
    expect(order.findIndex(({ subscription }) => subscription === C)).toBeLessThan(
      order.findIndex(({ subscription }) => subscription === A),
    )
    expect(failures).toBe(3)
    const { id } = await listed(path)
    const question = { first, after: undefined, state: 'delivered' } as const
    // It is written down a moment after it was received.
    const tried = async () =>
      (await delivering.webhooks.deliveries(OWNER, id, question)).rows.find(({ attempts }) => attempts === 4)
    await expect.poll(tried, SOON).toMatchObject({ state: 'delivered', last: { status: 200, answer: 'ok' } })
  })

  async function listed(path: string) {
    const { rows } = await delivering.webhooks.list(OWNER, { first, after: undefined })
    const found = rows.find(({ url }) => url.endsWith(path))
    if (found === undefined) throw new Error(`no webhook at ${path}`)
    return found
  }

  it('gives a delivery up in the end, lets the next one go, and delivers it again when asked', async () => {
    const patient = startDelivering(stores.store, { retries: { ...QUICK_RETRIES, giveUpAfterMs: 150 } })
    // The work is shared: only the impatient one shall do it here.
    await delivering.stop()
    await patient.start()
    let isWell = false
    let refused: string | undefined
    const { path, from, id } = await listen({ subscriptionId: C }, (body) => {
      refused ??= /evt_[0-9a-f]{40}/.exec(body)?.[0]
      return !isWell && refused !== undefined && body.includes(refused) ? 'fail' : 'accept'
    })
    await log.append([C])
    await log.append([C])
    const [lost, next] = loggedOf(C, from)
    await expect.poll(() => known(path, C), SOON).toEqual([next])
    const dead = await patient.webhooks.deliveries(OWNER, id, { first, after: undefined, state: 'dead' })
    expect(dead.rows).toMatchObject([
      { eventId: refused, sequence: lost, last: { status: 500, answer: 'no' } },
    ])
    isWell = true
    await patient.webhooks.redeliver(OWNER, id, refused ?? '')
    await expect.poll(() => known(path, C), SOON).toEqual([next, lost])
    await patient.webhooks.redeliverSince(OWNER, id, 1_800_000_000 + 100)
    await expect.poll(() => new Set(known(path, C)), SOON).toEqual(new Set(loggedOf(C, 0)))
    await patient.stop()
    delivering = startDelivering(stores.store)
    await delivering.start()
  })

  it('pauses an endpoint that is gone and says so; resumed, it hears at once and in order what it missed', async () => {
    let isGone = true
    const gone = { status: 410, headers: { 'Retry-After': '3600' } }
    const { path, from, get, id } = await listen({ subscriptionId: A }, () => (isGone ? gone : 'accept'))
    await log.append([A])
    await expect.poll(async () => (await get()).pausedReason, SOON).toBe('gone')
    await log.append([A])
    await log.append([A])
    isGone = false
    await delivering.webhooks.resume(OWNER, id)
    await expect.poll(() => known(path, A), SOON).toEqual(loggedOf(A, from))
    await log.append([A])
    await expect.poll(() => known(path, A), SOON).toEqual(loggedOf(A, from))
  })

  it('tells of that pause at other endpoints of its owner that name the type, and at nobody else’s', async () => {
    const types = ['webhook.paused']
    const alarm = await listen({ types, subscriptionId: B })
    const silent = await listen({ subscriptionId: C })
    const wanted = { ...listeningTo(receiver.url('/eve')), types: ['webhook.paused'] as const }
    await delivering.webhooks.create('eve', wanted, anyChallenge)
    const { id, path } = await listen({ subscriptionId: A, description: 'The shop' }, 'gone')
    await log.append([A])
    await expect.poll(() => receiver.at(alarm.path).length, SOON).toBe(1)
    const [told] = receiver.at(alarm.path)
    expect(new Webhook(alarm.secret).verify(told?.body ?? '', told?.headers ?? {})).toEqual({
      type: 'webhook.paused',
      id: told?.id,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { webhookId: id, description: 'The shop', reason: 'gone', failingSince: expect.any(Number) },
    })
    const listed = async () =>
      (await delivering.webhooks.deliveries(OWNER, alarm.id, { first, after: undefined, state: 'delivered' }))
        .rows
    await expect.poll(listed, SOON).toMatchObject([{ eventId: told?.id, chainId: null, sequence: null }])
    await delivering.webhooks.redeliver(OWNER, alarm.id, told?.id ?? '')
    await expect.poll(() => receiver.at(alarm.path).map((one) => one.id), SOON).toEqual([told?.id, told?.id])
    expect([silent.path, '/eve'].flatMap((one) => receiver.at(one))).toEqual([])
    expect(receiver.at(path)).toHaveLength(1)
    // Public, and it says nothing of it.
    const logged = await stores.store.db.selectFrom('event_log').select('id').execute()
    expect(logged).toHaveLength(log.events.length)
  })

  it('sends nothing while its owner pauses it, and all of it afterwards', async () => {
    const { path, from, id } = await listen({ subscriptionId: B })
    await delivering.webhooks.pause(OWNER, id)
    await log.append([B])
    await log.append([B, C])
    const { path: other } = await listen({ subscriptionId: B })
    await log.append([B])
    await expect.poll(() => sequencesAt(other).length, SOON).toBe(1)
    expect(sequencesAt(path)).toEqual([])
    await delivering.webhooks.resume(OWNER, id)
    await expect.poll(() => known(path, B), SOON).toEqual(loggedOf(B, from))
  })

  it('is not held up by an endpoint that hangs, closes or answers with something else', async () => {
    const odd: Manner[] = ['hang', 'close', 'cut', 'redirect', { status: 404 }]
    for (const manner of odd) await listen({}, manner)
    const { path, from } = await listen()
    for (let round = 0; round < 5; round += 1) await log.append([A, B, C])
    await expect.poll(() => sequencesAt(path).length, SOON).toBe(15)
    expect(known(path, A)).toEqual(loggedOf(A, from))
  })

  it('counts an answer that switches protocols as a failure, and ends in time after it', async () => {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' }
    const { id } = await listen({ subscriptionId: C }, { status: 101, headers })
    await log.append([C])
    const question = { first, after: undefined, state: undefined } as const
    const tried = async () => (await delivering.webhooks.deliveries(OWNER, id, question)).rows
    await expect.poll(tried, SOON).toMatchObject([{ state: 'pending', last: { status: 101 } }])
    await delivering.stop()
    delivering = startDelivering(stores.store)
    await delivering.start()
    await delivering.webhooks.delete(OWNER, id)
  })

  it('waits as long as Retry-After asks', async () => {
    let asked = 0
    const { path } = await listen({ subscriptionId: C }, () => {
      asked += 1
      return asked === 1 ? { status: 503, headers: { 'Retry-After': '1' } } : 'accept'
    })
    await log.append([C])
    await expect.poll(() => receiver.at(path).length, SOON).toBe(2)
    const [early, late] = receiver.at(path)
    expect((late?.at ?? 0) - (early?.at ?? 0)).toBeGreaterThan(950)
  })

  it('signs with both secrets after a rotation, and shows nobody the webhooks of others', async () => {
    const { path, secret, id } = await listen({ subscriptionId: A })
    const rotated = await delivering.webhooks.rotateSecret(OWNER, id)
    await log.append([A])
    await expect.poll(() => receiver.at(path).length, SOON).toBe(1)
    const [one] = receiver.at(path)
    for (const known of [secret, rotated.secret]) {
      expect(new Webhook(known).verify(one?.body ?? '', one?.headers ?? {})).toBeDefined()
    }
    await expect(delivering.webhooks.get('eve', id)).rejects.toThrow('You have no webhook')
    await expect(delivering.webhooks.delete('eve', id)).rejects.toThrow('You have no webhook')
    const { rows } = await stores.store.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .execute()
      .then((all) => ({ rows: all }))
    expect(JSON.stringify(rows)).not.toContain('whsec_')
  })

  it('keeps what was changed while the URL of another change was asked', async () => {
    const { id, get } = await listen({ subscriptionId: A })
    const url = await serve(async (request, response) => {
      const change = { description: 'meanwhile', finality: 'confirmed' } as const
      await delivering.webhooks.change(OWNER, id, change, anyChallenge)
      response.end(z.object({ challenge: z.string() }).parse(await json(request)).challenge)
    })
    await delivering.webhooks.change(OWNER, id, { url, subscriptionId: B }, anyChallenge)
    expect(await get()).toMatchObject({
      url: `${url}/`,
      subscriptionId: B,
      description: 'meanwhile',
      finality: 'confirmed',
    })
    await delivering.webhooks.delete(OWNER, id)
  })

  it('signs with the secrets of two rotations at the same time', async () => {
    const { path, id } = await listen({ subscriptionId: A })
    const rotated = await Promise.all([1, 2].map(() => delivering.webhooks.rotateSecret(OWNER, id)))
    await log.append([A])
    await expect.poll(() => receiver.at(path).length, SOON).toBe(1)
    const [one] = receiver.at(path)
    for (const { secret } of rotated) {
      expect(new Webhook(secret).verify(one?.body ?? '', one?.headers ?? {})).toBeDefined()
    }
  })

  it('shares the work among several, and others go on where one has ended', async () => {
    const { path, from } = await listen({}, 'slow')
    const second = startDelivering(stores.store)
    await second.start()
    for (let round = 0; round < 5; round += 1) await log.append([A, B, C])
    await delivering.stop()
    await log.append([A])
    // Of the other subscriptions, too: what is left over would wait for a process in the next test.
    await expect.poll(() => receiver.at(path).length, SOON).toBeGreaterThanOrEqual(16)
    expect(known(path, A)).toEqual(loggedOf(A, from))
    const times = new Map<number, number>()
    for (const { sequence = 0 } of receiver.at(path)) times.set(sequence, (times.get(sequence) ?? 0) + 1)
    // Nobody was killed, so nothing was sent twice.
    expect([...times.values()].every((count) => count === 1)).toBe(true)
    delivering = second
  })

  it('shows how all of them stand, and warns once where events wait for want of a process', async () => {
    let ahead = 0
    const said: string[] = []
    const say = (sentence: string) => void said.push(sentence)
    const watch = new WebhooksWatch({
      store: stores.store,
      log: { info: say, warn: say, error: say },
      now: () => Date.now() + ahead,
    })
    const look = async () => {
      await watch.look()
      return watch.health()
    }
    const { rows } = await delivering.webhooks.list(OWNER, { first, after: undefined })
    const paused = rows.filter(({ pausedAt }) => pausedAt !== null).length
    // Of eve, too.
    const active = rows.length - paused + 1
    const well = { active, paused, deliverers: 1, behindSeconds: 0, alarm: null }
    expect(paused).toBeGreaterThan(0)
    await expect.poll(look, SOON).toMatchObject(well)
    expect(watch.health()?.failing).toBeGreaterThan(0)
    await delivering.stop()
    await log.append([A])
    // What has failed may be due to be tried again since the process stopped, some seconds ago on a busy machine.
    expect(await look()).toMatchObject({ ...well, deliverers: 0, behindSeconds: expect.any(Number) })
    ahead = 61_000
    const alone = expect.stringMatching(/^No process has delivered to webhooks for (6[1-9]|[7-9]\d) s/)
    expect(await look()).toMatchObject({ deliverers: 0, alarm: alone })
    await look()
    expect(said).toEqual([alone])
    await stores.store.transaction(async (db) => {
      const presence = { name: 'busy', alive_until: Date.now() + 3_600_000 }
      await db.insertInto('webhook_deliverers').values(presence).execute()
      const due = Date.now() + ahead - 90_000
      const late = { due_at: due, waits_since: due }
      await db.updateTable('webhook_endpoints').set(late).where('failures', '=', 0).execute()
    })
    const late = expect.stringMatching(/^Webhooks are behind: events have waited for 9\d s to be sent/)
    expect(await look()).toMatchObject({ deliverers: 1, alarm: late })
    await stores.store.transaction((db) =>
      db.deleteFrom('webhook_deliverers').where('name', '=', 'busy').execute(),
    )
    ahead = 0
    delivering = startDelivering(stores.store)
    await delivering.start()
    await expect.poll(look, SOON).toMatchObject(well)
    expect(said).toEqual([alone, 'Webhooks are no longer behind'])
  })
})
