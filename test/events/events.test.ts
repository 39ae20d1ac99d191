import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createClient } from '@remit/client'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { runInProcess } from '../client/cliRun.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, startTestService, type TestService } from '../support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, provider } = chain.wallets
const plan = await protocol.create()
await protocol.join(plan, alice)
await chain.keep()

const folder = mkdtempSync(join(tmpdir(), 'remit-events-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const DATABASE_URL = `file:${join(folder, 'remit.db')}`
const service = await startTestService([chain], { DATABASE_URL })
/** Another process, as far as the store can tell. */
const replica = await startTestService([chain], { DATABASE_URL })
afterAll(async () => {
  await service.close()
  await replica.close()
})

const Page = z.object({
  events: z.array(
    z.object({ id: z.string(), type: z.string(), sequence: z.number(), data: z.looseObject({}) }),
  ),
  next: z.number(),
  last: z.number(),
  hasMore: z.boolean(),
})

async function listed(query: string, from: TestService = service) {
  const { body } = await from.get(`/events?${query}`)
  return Page.parse(body)
}

/** What the log has once it has also taken back what the test before has done. */
async function everything() {
  await indexed(service, chain)
  await indexed(replica, chain)
  return listed('first=100')
}

/** An open stream, read piece by piece. */
async function openStream(from: TestService, query = '', headers: Record<string, string> = {}) {
  const response = await fetch(`${from.url}/events/stream?${query}`, { headers })
  if (response.body === null) throw new Error('there is no stream')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    /** Reads until the text holds this. */
    async until(part: string) {
      while (!text.includes(part)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the stream ended after ${text}`)
        text += value
      }
      return text
    },
    close: () => reader.cancel(),
  }
}

describe('the list of events', () => {
  it('says what happened in the API’s own shapes, the same from every process', async () => {
    const { events, next, last, hasMore } = await everything()
    expect(events.map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscriber.joined',
      'payment.succeeded',
    ])
    expect({ next, last, hasMore }).toEqual({ next: 3, last: 3, hasMore: false })
    expect(events[2]?.data).toMatchObject({
      payment: { kind: 'firstCharge', subscriber: alice, charged: { tokenDecimals: 6 } },
    })
    expect(await listed('first=100', replica)).toEqual({ events, next, last, hasMore })
  })

  it('refuses a place beyond its end, and a type that does not exist, by name', async () => {
    // Nothing that comes could make it right: it is not waited for.
    for (const query of ['after=1000', 'after=1000&wait=30']) {
      const beyond = await service.get(`/events?${query}`)
      expect(beyond.status).toBe(400)
      expect(beyond.body).toMatchObject({ issues: [{ path: 'after' }] })
    }
    expect((await service.get('/events?type=payment.lost')).body).toMatchObject({
      issues: [{ path: 'type' }],
    })
  })

  it('waits for what comes, as long as it was asked to', async () => {
    const { next } = await everything()
    const waiting = listed(`after=${next}&wait=30&account=${bob}`)
    await protocol.join(plan, bob)
    expect((await waiting).events.map(({ type }) => type)).toContain('subscriber.joined')
    const begun = performance.now()
    expect((await listed(`after=${next}&wait=1&account=${provider}`)).events).toEqual([])
    expect(performance.now() - begun).toBeGreaterThan(900)
  })
})

describe('a stream of events', () => {
  it('sends what comes, and goes on after the last id, on another process too', async () => {
    const { next } = await everything()
    const stream = await openStream(service)
    await stream.until(`id: ${next}\n`)
    await protocol.join(plan, bob)
    const text = await stream.until('"payment.succeeded"')
    expect(text).toContain('"subscriber.joined"')
    await stream.close()
    const again = await openStream(replica, '', { 'Last-Event-ID': String(next + 1) })
    const rest = await again.until('"payment.succeeded"')
    expect(rest).not.toContain('"subscriber.joined"')
    expect(rest).toContain(`id: ${next + 2}\n`)
    await again.close()
  })

  it('is one at a time on the free lane', async () => {
    const first = await openStream(replica)
    const second = await fetch(`${replica.url}/events/stream`)
    expect(second.status).toBe(429)
    expect(await second.json()).toMatchObject({ code: 'RATE_LIMITED', bucket: 'streams', limit: 1 })
    await first.close()
  })

  it('takes no connection of those that are answered at once, whoever opens streams and long polls', async () => {
    const most = { HTTP_MAX_CONNECTIONS: '12', HTTP_MAX_STREAMS: '6', TRUSTED_PROXIES: '127.0.0.1' }
    const full = await startTestService([chain], { ...most, DATABASE_URL, INDEXER: 'false' })
    const { next } = await everything()
    let callers = 0
    const from = () => ({ headers: { 'X-Forwarded-For': `203.0.113.${++callers}` } })
    const streams: Awaited<ReturnType<typeof openStream>>[] = []
    for (let one = 0; one < 3; one += 1) streams.push(await openStream(full, '', from().headers))
    const gone = new AbortController()
    const polls = Array.from({ length: 9 }, () =>
      fetch(`${full.url}/events?after=${next}&wait=30`, { ...from(), signal: gone.signal }).catch(() => null),
    )
    const refused = await Promise.race(polls)
    expect(await refused?.json()).toMatchObject({ code: 'TOO_MANY_STREAMS' })
    expect(refused?.headers.get('retry-after')).toBe('15')
    const stream = await full.get('/events/stream', from())
    expect([stream.status, stream.body.code]).toEqual([503, 'TOO_MANY_STREAMS'])
    for (const path of ['/ready', '/protocol/state', '/events']) {
      expect([path, (await full.get(path)).status]).toEqual([path, 200])
    }
    gone.abort()
    await Promise.all(polls)
    await streams[0]?.close()
    // The connections that are gone have left room.
    await expect
      .poll(async () => (await openStream(full, '', from().headers)).response.status, { timeout: 10_000 })
      .toBe(200)
    await full.close()
  })

  it('refuses what makes no sense for it', async () => {
    for (const query of ['first=5', 'wait=3', 'after=99999', 'finality=sure']) {
      const { status } = await fetch(`${replica.url}/events/stream?${query}`)
      expect(status, query).toBe(400)
    }
  })

  it('ends with its last id when the process ends, and the client goes on with another process', async () => {
    const { next } = await everything()
    const doomed = await startTestService([chain], { DATABASE_URL })
    await doomed.caughtUp()
    let target = doomed.url
    const client = createClient({
      url: doomed.url,
      fetch: (url, init) => fetch(String(url).replace(doomed.url, target), init),
    })
    const heard: string[] = []
    const ended = new AbortController()
    const listening = (async () => {
      for await (const event of client.events.stream({ after: next }, { signal: ended.signal })) {
        heard.push(`${event.sequence} ${event.type}`)
        if (heard.length === 4) ended.abort()
      }
    })().catch((error: unknown) => error)
    await protocol.join(plan, bob)
    await replica.caughtUp()
    target = replica.url
    await doomed.close()
    await contractAt(chain.client, chain.contract, Subscriptions.abi).send(bob, 'unsubscribe', [plan])
    await protocol.join(plan, bob)
    expect(await listening).toBe(ended.signal.reason)
    expect(heard.slice(0, 4)).toEqual([
      `${next + 1} subscriber.joined`,
      `${next + 2} payment.succeeded`,
      `${next + 3} subscriber.left`,
      `${next + 4} subscriber.joined`,
    ])
  })
})

describe('over MCP, with a key', () => {
  const operator = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const Key = z.object({ id: z.string(), token: z.string() })
  const makeKey = async (subjectId = 'an agent') =>
    Key.parse((await service.post('/developer/keys', { subjectId }, operator)).body)

  async function connect(
    version: '2026-07-28' | 'legacy' = '2026-07-28',
    { url = service.url, token }: { url?: string; token?: string } = {},
  ): Promise<Client> {
    const headers = { Authorization: `Bearer ${token ?? (await makeKey()).token}` }
    const mode = version === 'legacy' ? version : { pin: version }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
    )
    return client
  }

  const pageIn = (text: unknown) => Page.parse(JSON.parse(z.string().parse(text)))

  it('is heard by list_events, which waits for what comes, in any version', async () => {
    const client = await connect('legacy')
    const { next: after } = await everything()
    const call = { name: 'list_events', arguments: { after, wait: 30, account: bob } }
    const waiting = client.callTool(call)
    await protocol.join(plan, bob)
    expect(pageIn(JSON.stringify((await waiting).structuredContent)).events[0]?.type).toBe(
      'subscriber.joined',
    )
    expect(client.getServerCapabilities()?.resources).toEqual({})
    await client.close()
  })

  it('is a resource that tells whoever listens when it has more, and reads as the list does', async () => {
    const client = await connect()
    const { next } = await everything()
    const uri = `remit://events?after=${next}&account=${bob}`
    const updated: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri)
    })
    expect((await client.listResources()).resources[0]).toMatchObject({ uri: 'remit://events' })
    const listening = await client.listen({ resourceSubscriptions: [uri] })
    expect(listening.honoredFilter).toEqual({ resourceSubscriptions: [uri] })
    await protocol.join(plan, carol)
    await protocol.join(plan, bob)
    await expect.poll(() => updated, { timeout: 10_000 }).toEqual([uri])
    const { contents } = await client.readResource({ uri })
    const { events } = pageIn(contents[0] && 'text' in contents[0] ? contents[0].text : undefined)
    expect(events.map(({ type }) => type)).toContain('subscriber.joined')
    expect(events).toEqual((await listed(`after=${next}&account=${bob}`)).events)
    await listening.close()
    expect(await listening.closed).toBe('local')
    await client.close()
  })

  it('costs what a stream costs, and refuses a query that says a thing twice', async () => {
    const { id, token } = await makeKey('who listens')
    const client = await connect('2026-07-28', { token })
    const Usage = z.object({ limits: z.array(z.object({ name: z.string(), used: z.number() })) })
    const expensive = async () => {
      const { body } = await service.get(`/developer/keys/${id}/usage`, operator)
      return Usage.parse(body).limits.find(({ name }) => name === 'expensiveRpm')?.used
    }
    const before = await expensive()
    const listening = await client.listen({ resourceSubscriptions: ['remit://events'] })
    expect(await expensive()).toBe(Number(before) + 1)
    await listening.close()
    const twice = client.readResource({ uri: 'remit://events?first=1&first=2' })
    await expect(twice).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('`first`') })
    await client.close()
  })

  it('ends what listens with the process, and another process tells it on', async () => {
    const doomed = await startTestService([chain], { DATABASE_URL })
    await indexed(doomed, chain)
    const client = await connect('2026-07-28', { url: doomed.url })
    const { next } = await everything()
    const uri = `remit://events?after=${next}`
    const listening = await client.listen({ resourceSubscriptions: [uri] })
    const begun = performance.now()
    await doomed.close()
    expect(await listening.closed).toBe('graceful')
    expect(performance.now() - begun).toBeLessThan(10_000)
    await client.close()
    const again = await connect()
    const updated = new Promise<string>((resolve) => {
      again.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
    })
    await again.listen({ resourceSubscriptions: [uri] })
    await protocol.join(plan, bob)
    expect(await updated).toBe(uri)
    await again.close()
  })

  it('ends whatever a key has opened within the next heartbeat after it is revoked', async () => {
    const { id, token } = await makeKey()
    const client = await connect('2026-07-28', { token })
    const { next } = await everything()
    const listening = await client.listen({ resourceSubscriptions: ['remit://events'] })
    const shell = runInProcess(['listen', '--after', `${next}`], {
      environment: { REMIT_URL: service.url, REMIT_API_KEY: token },
    })
    const stream = await openStream(service, '', { Authorization: `Bearer ${token}` })
    await stream.until(`id: ${next}\n`)
    const { status } = await service.get(`/developer/keys/${id}`, { ...operator, method: 'DELETE' })
    expect(status).toBe(200)
    expect(await listening.closed).toBe('graceful')
    expect(await stream.until('event: end')).toContain('"reason":"credentials"')
    expect(await shell).toMatchObject({ code: 1, err: expect.stringContaining(`--after ${next}.`) })
    await expect(client.listen({ resourceSubscriptions: ['remit://events'] })).rejects.toThrow()
    await client.close()
  }, 30_000)

  it('refuses a query that makes no sense, by name', async () => {
    const client = await connect()
    await expect(client.readResource({ uri: 'remit://events?finality=sure' })).rejects.toThrow('finality')
    await expect(client.listen({ resourceSubscriptions: ['remit://events?first=3'] })).rejects.toThrow(
      'first',
    )
    await client.close()
  })
})
