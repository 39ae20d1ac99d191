import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { verifyWebhook } from '@remit/client/testing/events/verifyWebhook'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { ADMIN_SECRET, useTestService } from '@remit/testing/support/service/testService'
import { Receiver } from '@remit/testing/support/webhooks/Receiver'
import { TEST_SECRETS_KEY } from '@remit/testing/support/webhooks/startDelivering'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const switchedOn = { WEBHOOKS: 'true', SECRETS_KEY: TEST_SECRETS_KEY }
const service = await useTestService([chain], {
  ...switchedOn,
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  MAX_WEBHOOKS_PER_SUBJECT: '8',
})
const strict = await useTestService([chain], { ...switchedOn, DELIVERER: 'false' })
const off = await useTestService([chain])
const receiver = await new Receiver().start()
afterAll(() => receiver.close())

const Created = z.object({ webhook: z.looseObject({ id: z.string() }), secret: z.string() })
const SOON = { timeout: 20_000 }

async function keyOf(subjectId: string, on = service): Promise<{ headers: Record<string, string> }> {
  const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const { body } = await on.post('/developer/keys', { subjectId }, admin)
  return { headers: { Authorization: `Bearer ${z.object({ token: z.string() }).parse(body).token}` } }
}

const ada = await keyOf('ada')
const eve = await keyOf('eve')
const strictly = await keyOf('ada', strict)

async function create(path: string, wishes: object = {}) {
  const { status, body } = await service.post(
    '/developer/webhooks',
    { url: receiver.url(path), ...wishes },
    ada,
  )
  expect({ status, body }).toMatchObject({ status: 201 })
  const { webhook, secret } = Created.parse(body)
  return { id: webhook.id, at: `/developer/webhooks/${webhook.id}`, secret, body }
}

describe('POST /developer/webhooks', () => {
  it('makes a webhook whose URL has answered the challenge, and shows the secret once', async () => {
    const { id, at, body, secret } = await create('/made', {
      types: ['payment.failed'],
      filters: { account: chain.wallets.alice },
      finality: 'confirmed',
      description: 'The shop',
    })
    const webhook = {
      id,
      url: receiver.url('/made'),
      description: 'The shop',
      chainId: null,
      types: ['payment.failed'],
      filters: { subscriptionId: null, provider: null, account: chain.wallets.alice },
      finality: 'confirmed',
      status: 'active',
      pausedReason: null,
      pausedAt: null,
      createdAt: expect.any(Number),
      lastDeliveredAt: null,
      failingSince: null,
      oldSecretUntil: null,
    }
    expect(body).toMatchObject({ webhook, publicKey: expect.stringMatching(/^whpk_/) })
    const answer = await service.get(at, ada)
    expect(answer.body).toEqual({ webhook })
    const { body: listed } = await service.get('/developer/webhooks', ada)
    expect(JSON.stringify(listed)).not.toContain(secret)
  })

  it.each([
    [{ url: 'http://hooks.example/' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'https://u:p@hooks.example/' }, 'url'],
    [{ url: 'https://0x7f.1/' }, 'url'],
    [{ types: ['payment.lost'] }, 'types.0'],
    [{ filters: { wallet: '0x' } }, 'filters.wallet'],
    [{ chainId: 1 }, 'chainId'],
    [{ secret: 'mine' }, 'secret'],
  ])('refuses %j, naming the field', async (wishes, path) => {
    const input = { url: 'https://hooks.example/', ...wishes }
    const { status, body } = await strict.post('/developer/webhooks', input, strictly)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path }] },
    })
  })

  it('refuses a URL that answers something else, and loopback unless it is allowed', async () => {
    const unproven = await service.post('/developer/webhooks', { url: 'http://127.0.0.1:9/' }, ada)
    expect(unproven).toMatchObject({
      status: 422,
      body: { code: 'WEBHOOK_UNPROVEN', status: null, failure: 'connection' },
    })
    const { status } = await strict.post('/developer/webhooks', { url: receiver.url('/loop') }, strictly)
    expect(status).toBe(400)
  })

  it('is for callers with a key, and 403 where webhooks are off', async () => {
    expect(await service.get('/developer/webhooks')).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED', error: expect.stringContaining('developer’s key') },
    })
    const key = await keyOf('ada', off)
    expect(await off.get('/developer/webhooks', key)).toMatchObject({
      status: 403,
      body: { code: 'WEBHOOKS_DISABLED' },
    })
  })

  it('makes no more than a subject may have', async () => {
    const bob = await keyOf('bob')
    const made = await Promise.all(
      Array.from({ length: 12 }, () =>
        service.post('/developer/webhooks', { url: receiver.url('/many') }, bob),
      ),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(8)
    expect(made.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'MAX_WEBHOOKS',
      maxWebhooks: 8,
    })
  })
})

describe('a webhook', () => {
  it('tells what happens on the chain, as GET /events does, and lists what it told', async () => {
    const { at, secret } = await create('/told', { types: ['subscription.created'] })
    const subscription = await protocolOn(chain).create()
    await service.caughtUp()
    await expect.poll(() => receiver.at('/told').length, SOON).toBeGreaterThan(0)
    const told = receiver.at('/told').find((one) => one.subscription === subscription.id)
    const event = await verifyWebhook(told?.headers ?? {}, told?.body ?? '', secret)
    const { body } = await service.get(`/events?subscriptionId=${subscription.id}&type=subscription.created`)
    const { events } = z.object({ events: z.array(z.looseObject({})) }).parse(body)
    const { finality: _, ...lasting } = events[0] ?? {}
    expect(JSON.parse(told?.body ?? '')).toMatchObject(lasting)
    expect(event).toMatchObject({ id: lasting.id, data: { amount: { amountRaw: 10_000_000n } } })
    const delivered = { eventId: event.id, type: 'subscription.created', state: 'delivered', attempts: 1 }
    await expect
      .poll(async () => (await service.get(`${at}/deliveries?state=delivered`, ada)).body, SOON)
      .toMatchObject({
        deliveries: expect.arrayContaining([
          expect.objectContaining({
            ...delivered,
            body: told?.body,
            last: expect.objectContaining({ status: 200, answer: 'ok' }),
          }),
        ]),
      })
    const again = await service.post(`${at}/deliveries/${event.id}/redeliver`, {}, ada)
    expect(again).toMatchObject({ status: 200, body: { delivery: { state: 'pending', again: true } } })
    const before = receiver.at('/told').length
    await expect.poll(() => receiver.at('/told').length, SOON).toBeGreaterThanOrEqual(before)
    const since = await service.post(`${at}/redeliver`, { since: 0 }, ada)
    expect(since).toMatchObject({ status: 200, body: { since: 0, accepted: true } })
  })

  it('is changed, paused, resumed, tested, rotated and deleted by its owner alone', async () => {
    const { at, secret } = await create('/life')
    const acts: readonly (readonly [path: string, body: object])[] = [
      [at, { description: 'Mine' }],
      [`${at}/pause`, {}],
      [`${at}/resume`, {}],
      [`${at}/test`, {}],
      [`${at}/rotate_secret`, {}],
      [`${at}/redeliver`, { since: 0 }],
    ]
    for (const [path, body] of acts) {
      expect(await service.post(path, body, eve)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
    const answers = []
    for (const [path, body] of acts) answers.push((await service.post(path, body, ada)).body)
    expect(answers).toMatchObject([
      { webhook: { description: 'Mine', status: 'active' } },
      { webhook: { status: 'paused', pausedReason: 'owner' } },
      { webhook: { status: 'active', pausedReason: null } },
      { delivered: true, answer: { status: 200, answer: 'ok', failure: null } },
      { secret: expect.stringMatching(/^whsec_/), webhook: { oldSecretUntil: expect.any(Number) } },
      { accepted: true },
    ])
    const test = receiver.at('/life').find(({ type }) => type === 'webhook.test')
    expect(await verifyWebhook(test?.headers ?? {}, test?.body ?? '', secret)).toMatchObject({
      type: 'webhook.test',
    })
    const unknown = await service.post(`${at}/deliveries/evt_${'0'.repeat(40)}/redeliver`, {}, ada)
    expect(unknown).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect((await service.get(at, { ...eve, method: 'DELETE' })).status).toBe(404)
    expect((await service.get(at, { ...ada, method: 'DELETE' })).body).toMatchObject({ deleted: true })
    expect((await service.get(at, ada)).status).toBe(404)
  })

  it('is a tool for callers with a key, and for nobody else', async () => {
    const connect = async (headers: Record<string, string>) => {
      const client = new Client({ name: 'webhooks', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const options = { requestInit: { headers } }
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${service.url}/mcp?tools=all`), options),
      )
      return client
    }
    const [holder, stranger] = [await connect(ada.headers), await connect({})]
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names(holder)).toContain('create_webhook')
    expect((await names(stranger)).filter((name) => name.includes('webhook'))).toEqual([])
    const input = { url: receiver.url('/tool'), types: ['retracted'], chainId: chain.chainId }
    const made = await holder.callTool({ name: 'create_webhook', arguments: input })
    expect(made.structuredContent).toMatchObject({
      webhook: { chainId: chain.chainId, types: ['retracted'] },
    })
    const all = await holder.callTool({ name: 'create_webhook', arguments: { url: receiver.url('/all') } })
    expect(all.structuredContent).toMatchObject({ webhook: { chainId: null } })
    await expect(stranger.callTool({ name: 'create_webhook', arguments: input })).rejects.toThrow(
      'Unknown tool',
    )
    await holder.close()
    await stranger.close()
  })
})
