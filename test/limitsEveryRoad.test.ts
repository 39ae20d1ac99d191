import { connect } from 'node:net'
import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { type OpenLimits, openLimits } from '@remit/service/testing/access/limits/openLimits'
import { getWebhookKey } from '@remit/service/testing/operations/webhooks'
import { type RunningServer, startServer } from '@remit/service/testing/surfaces/server/server'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, smallOperations } from './support/app/smallApp.ts'
import { ACCEPT, type LimitedApp, limitedApp, message } from './support/limits/limitedApp.ts'
import { redisIsInstalled, useRedis } from './support/stores/useRedis.ts'

const { globalRpm, dailyTotalRequests } = DEFAULT_LIMITS.free

/** What is asked, and what it is answered while there are units left. */
type Road = readonly [title: string, path: string, init: RequestInit, status: number]

const foreign = { ...ACCEPT, Origin: 'https://elsewhere.example' }
const tools = (body: unknown, headers: Record<string, string> = {}): RequestInit =>
  json(body, { ...ACCEPT, ...headers })

/** Requests that reach no operation. */
const REFUSED: readonly Road[] = [
  ['an unknown route', '/nothing', {}, 404],
  ['an unknown route below the prefix', '/api/nothing', {}, 404],
  ['HEAD of an unknown route', '/nothing', { method: 'HEAD' }, 404],
  ['POST to an unknown route', '/nothing', json({}), 404],
  ['another method', '/things', { method: 'DELETE' }, 405],
  ['HEAD of a prepare without its input', '/prepare/thing', { method: 'HEAD' }, 400],
  ['an unknown chain', '/things?chainId=9', {}, 400],
  ['a chain that is none', '/things?chainId=x', {}, 400],
  ['an unknown chain on a route that is only counted', '/?chainId=9', {}, 400],
  ['what needs a key, without one', '/developer/webhooks/key', {}, 401],
  ['a malformed path', '/%', {}, 400],
  ['an address that is too long', `/things?owner=${'x'.repeat(9_000)}`, {}, 414],
  ['a Host that is not allowed', '/things', { headers: { Host: 'elsewhere.example' } }, 403],
  ['an upgrade of an unknown route', '/nothing', { headers: { Upgrade: 'websocket' } }, 404],
  ['tools for a page of another site', '/mcp', json(message('tools/list', {}), foreign), 403],
  ['tools below the prefix for a page of another site', '/api/mcp', { headers: foreign }, 403],
  ['a stream of tools', '/mcp', { headers: ACCEPT }, 405],
  ['the end of a session of tools', '/mcp', { method: 'DELETE', headers: ACCEPT }, 405],
  ['tools with a query that means nothing', '/mcp?x=1', tools(message('ping', {})), 400],
  ['no JSON for tools', '/mcp', tools('{'), 400],
  ['another type for tools', '/mcp', tools('{}', { 'Content-Type': 'text/plain' }), 415],
  ['too much for tools', '/mcp', tools(`"${'x'.repeat(70_000)}"`), 413],
]

/** Forms of a message of MCP. None of them calls a tool that does something. */
const FORMS: readonly (readonly [title: string, message: unknown])[] = [
  ['ping', message('ping', {})],
  ['a list', message('tools/list', {})],
  ['an unknown method', message('nothing', {})],
  ['a listener of nothing', message('subscriptions/listen', { notifications: {} })],
  ['initialize that does not fit', message('initialize', {})],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['an unknown notification', { jsonrpc: '2.0', method: 'nothing' }],
  ['an answer that nobody waits for', { jsonrpc: '2.0', id: 1, result: {} }],
  ['an error that nobody waits for', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }],
  ['junk', { a: 1 }],
  ['a number', 7],
  ['nothing', null],
  ['a list in a list', []],
  ['a call without parameters', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
  ['a call of no name', message('tools/call', { arguments: {} })],
  ['a call of a name that is a number', message('tools/call', { name: 5 })],
  ['a call with arguments that are no object', message('tools/call', { name: 'only_a_tool', arguments: 5 })],
  ['a call with a list as its parameters', message('tools/call', [])],
  ['a call without an answer', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'only_a_tool' } }],
  ['a call with an id that is none', { ...message('tools/call', { name: 'only_a_tool' }), id: { a: 1 } }],
  ['a call of another JSON-RPC', { ...message('tools/call', { name: 'only_a_tool' }), jsonrpc: '1.0' }],
  ['a call of an unknown tool', message('tools/call', { name: 'nothing' })],
  ['a call with unknown arguments', message('tools/call', { name: 'only_a_tool', arguments: { x: 1 } })],
  [
    'a call of an unknown chain',
    message('tools/call', { name: 'get_latest_thing', arguments: { chainId: 9 } }),
  ],
  ['a call', message('tools/call', { name: 'only_a_tool' })],
]

const redis = redisIsInstalled ? useRedis() : undefined

const COUNTERS: readonly (readonly [where: string, open: () => Promise<OpenLimits | undefined>])[] = [
  ['in memory', async () => undefined],
  ...(redis ? [['in Redis', () => openShared(redis.url)] as const] : []),
]

describe.each(COUNTERS)('limits that are counted %s', (_where, open) => {
  let shared: OpenLimits | undefined
  let app: LimitedApp
  beforeAll(async () => {
    shared = await open()
    const allowedHosts = ['localhost']
    const operations = [...smallOperations, getWebhookKey]
    app = limitedApp({ operations, allowedHosts, ...(shared && { charging: shared.limits }) })
  })
  afterAll(() => shared?.close())

  it.each(REFUSED)('hold for %s', async (_title, path, init, status) => {
    app.becomes({})
    const { statuses } = await ask(app, path, init, globalRpm + 5)
    expect(statuses).toEqual({ [status]: globalRpm, 429: 5 })
    // What is refused is refused for all else too.
    expect((await app.call('/things')).status).toBe(429)
  })

  it.each(FORMS)('hold for a message of tools, each one of a batch: %s', async (_title, body) => {
    app.becomes({})
    const { answered } = await ask(app, '/mcp', tools(body), globalRpm + 5)
    expect(answered).toBe(globalRpm)

    app.becomes({})
    const batch = Array.from({ length: 7 }, (_, place) => withId(body, place))
    await ask(app, '/mcp', tools(batch), 2)
    // 14 units are gone, and 6 are left.
    expect((await ask(app, '/mcp', tools(message('ping', {})), 10)).answered).toBe(6)
  })

  it('answer no more of a batch than there are units, and all of it where its ids are the same', async () => {
    const calls = (ids: readonly number[]) =>
      tools(ids.map((id) => ({ ...message('tools/call', { name: 'only_a_tool' }), id })))
    const ids = Array.from({ length: 50 }, (_, id) => id)
    app.becomes({})
    const text = await (await app.call('/mcp', calls(ids))).text()
    expect(text.match(/"lane":"free"\}\}|"structuredContent":\{"lane":"free"\}/g)?.length).toBe(globalRpm)
    expect(text.match(/"isError":true/g)).toHaveLength(50 - globalRpm)

    app.becomes({})
    const same = await (await app.call('/mcp', calls(ids.map(() => 1)))).text()
    expect(same.match(/"structuredContent":\{"lane":"free"\}/g)).toBeNull()
  })

  it('take units of what cannot be paid for whole, so that no batch is free', async () => {
    app.becomes({})
    const mixed = [...Array(30).fill(message('ping', {})), { a: 1 }]
    expect((await app.call('/mcp', tools(mixed))).status).toBe(429)
    expect((await app.call('/catalog')).status).toBe(429)
  })
})

it('holds the day’s limit for what no operation answers, over REST and for tools', async () => {
  const app = limitedApp()
  for (let taken = 0; taken < dailyTotalRequests; taken += 1) {
    await app.charging.take(app.caller(), 'counted', [])
  }
  for (const path of ['/nothing', '/things?chainId=9', '/mcp']) {
    expect((await app.call(path)).status, path).toBe(429)
  }
  const unknown = await app.call('/mcp', tools(message('tools/call', { name: 'nothing' })))
  expect(await unknown.text()).toContain('dailyTotalRequests')
})

describe('over the wire', () => {
  const app = limitedApp()
  let server: RunningServer | undefined
  beforeAll(async () => {
    server = await startServer({ ...app.app, host: '127.0.0.1', port: 0 })
  })
  afterAll(() => server?.close(0))

  it.each([
    ['GET /nothing HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'],
    ['GET /things/latest HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'],
    ['TRACE /things HTTP/1.1'],
    ['PROPFIND /things HTTP/1.1'],
    ['HEAD /nothing HTTP/1.1'],
    ['GET http://localhost/nothing HTTP/1.1'],
    ['GET //nothing HTTP/1.1'],
    ['GET /mcp HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'],
    ['POST /nothing HTTP/1.1', 'Transfer-Encoding: chunked', 'X-HTTP-Method-Override: OPTIONS'],
    ['GET /nothing HTTP/1.0'],
  ])('limits hold for %s', async (...lines) => {
    app.becomes({})
    const port = server?.port ?? 0
    const body = lines.some((line) => line.includes('chunked')) ? '0\r\n\r\n' : ''
    const text = `${lines.join('\r\n')}\r\nHost: localhost\r\n\r\n${body}`
    const statuses = []
    for (let request = 0; request < globalRpm + 5; request += 1) statuses.push(await statusOf(port, text))
    expect(statuses.slice(0, globalRpm)).not.toContain('429')
    expect(statuses.slice(globalRpm)).toEqual(Array(5).fill('429'))
  })
})

/** Sends these bytes on a connection of their own. Resolves with the status of what comes back. */
function statusOf(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.once('data', (chunk) => {
      socket.destroy()
      resolve(/^HTTP\/1\.\d (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 'none')
    })
    socket.once('error', reject)
    socket.once('end', () => resolve('nothing'))
  })
}

async function openShared(url: string): Promise<OpenLimits> {
  const redisClient = new Redis(url)
  await redisClient.flushall()
  redisClient.disconnect()
  return openLimits({
    lanes: DEFAULT_LIMITS,
    authFailuresRpm: 30,
    portalUrl: () => undefined,
    newKeysDaily: 5,
    challengesDaily: 20,
    developerKeysEnabled: true,
    asksBasicAuth: false,
    redisUrl: url,
    graceMs: 0,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
}

/** Asks so many times at once. A tool call that is refused at a limit is an answer with this error, and no 429. */
async function ask({ call }: LimitedApp, path: string, init: RequestInit, times: number) {
  const answers = await Promise.all(
    Array.from({ length: times }, async () => {
      const response = await call(path, init)
      const text = await response.text()
      return { status: response.status, isLimited: response.status === 429 || text.includes('RATE_LIMITED') }
    }),
  )
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return { statuses, answered: answers.filter(({ isLimited }) => !isLimited).length }
}

/** The message under an id of its own, where it has one that is valid. */
function withId(body: unknown, id: number): unknown {
  return typeof body === 'object' && body !== null && 'id' in body && body.id === 1 ? { ...body, id } : body
}
