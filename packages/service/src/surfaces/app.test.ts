import { json, smallApp, smallOperations } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { getReady } from '../operations/service.ts'

const ready = defineServiceOperation({
  name: 'get_ready',
  effect: 'read',
  access: 'read',
  summary: 'Whether to send requests here',
  rest: { method: 'GET', path: '/ready' },
  input: z.object({}),
  output: z.object({ ready: z.literal(true) }),
  handle: async () => ({ ready: true as const }),
})

const EVERY_RESPONSE = {
  'content-security-policy': expect.stringContaining("default-src 'none'"),
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': expect.stringContaining('geolocation=()'),
  'referrer-policy': 'no-referrer',
  vary: 'Accept, Authorization, X-API-Key',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'x-service-lane': 'free',
}

describe('headers', () => {
  it.each<[string, RequestInit, number]>([
    ['/', {}, 200],
    ['/', { headers: { Accept: 'text/html,*/*;q=0.8' } }, 200],
    ['/things/latest', {}, 200],
    ['/things/latest', { headers: { 'If-None-Match': '*' } }, 304],
    ['/things', { method: 'OPTIONS' }, 204],
    ['/nothing', {}, 404],
    ['/things', { method: 'POST' }, 405],
    ['/things?chainId=x', {}, 400],
    ['/prepare/thing', json('x'), 400],
    ['/things/0x0', {}, 400],
    ['/mcp', {}, 405],
    ['/mcp', { method: 'OPTIONS' }, 204],
    ['/mcp', json('x'), 400],
    ['/mcp', { headers: { Host: 'evil.example' } }, 403],
  ])('are whole on %s %o', async (path, init, status) => {
    const { call } = smallApp()
    const response = await call(path, init)
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject(EVERY_RESPONSE)
    expect(response.headers.get('strict-transport-security')).toBeNull()
  })

  it('ask for TLS where the public address has it', async () => {
    const { call } = smallApp({ publicUrl: 'https://api.example' })
    expect((await call('/')).headers.get('strict-transport-security')).toContain('max-age=')
  })
})

describe('a caller that leaves before its answer', () => {
  it.each(['Client connection prematurely closed.', new Error('closed')])(
    'is no failure of the service (%s)',
    async (reason) => {
      const ended: unknown[] = []
      const leaving = new AbortController()
      const waits = defineServiceOperation({
        name: 'wait',
        effect: 'read',
        access: 'read',
        summary: 'Waits until the caller leaves',
        rest: { method: 'GET', path: '/wait' },
        input: z.object({}),
        output: z.object({}),
        handle: ({ signal }) =>
          new Promise<never>((_, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason))
            leaving.abort(reason)
          }),
      })
      const { app, logged } = smallApp({
        operations: [waits],
        observers: [{ requestEnded: (request) => ended.push(request) }],
      })
      const request = new Request('http://localhost/wait', { signal: leaving.signal })
      expect((await app.fetch(request)).status).toBe(499)
      expect(ended).toMatchObject([{ operation: 'wait', status: 499, code: undefined, abandoned: true }])
      expect(logged).toEqual([])
    },
  )

  it('is none of a page either', async () => {
    const leaving = new AbortController()
    const { app, logged } = smallApp({
      pages: () => ({
        documents: [{ name: 'page', path: '/page', metering: 'metered' }],
        answer: () => {
          leaving.abort()
          return Promise.reject(leaving.signal.reason)
        },
        refusal: ({ status }) => new Response('sorry', { status }),
      }),
    })
    const request = new Request('http://localhost/page', { signal: leaving.signal })
    expect((await app.fetch(request)).status).toBe(499)
    expect(logged).toEqual([])
  })
})

describe('hosts', () => {
  const get = (options: Parameters<typeof smallApp>[0], host: string, origin?: string, path = '/') =>
    smallApp(options)
      .call(path, { headers: { Host: host, ...(origin === undefined ? {} : { Origin: origin }) } })
      .then(({ status }) => status)

  it('are loopback names only while listening on loopback', async () => {
    for (const host of ['localhost', 'localhost:3000', '127.0.0.1:8080', '[::1]:3000', 'LOCALHOST']) {
      expect(await get({}, host), host).toBe(200)
    }
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'x@localhost',
      '127.0.0.1.nip.io',
      '0.0.0.0',
    ]) {
      expect(await get({}, host), host).toBe(403)
    }
  })

  it('are those that the operator allows', async () => {
    const allowed = { allowedHosts: ['api.example', 'other.example:8443'], host: '0.0.0.0' }
    const ask = (host: string) =>
      smallApp(allowed)
        .app.fetch(new Request(`http://${host}/`))
        .then(({ status }) => status)
    expect(await ask('api.example')).toBe(200)
    expect(await ask('api.example:1234')).toBe(200)
    expect(await ask('other.example:8443')).toBe(200)
    expect(await ask('other.example')).toBe(403)
    expect(await ask('localhost')).toBe(403)
  })

  it('are any where nothing is said on a public address', async () => {
    expect(await get({ host: '0.0.0.0' }, 'anything.example')).toBe(200)
  })

  it('let a load balancer ask for health by plain address, and for nothing else', async () => {
    const operations = [...smallOperations, ready]
    const { app } = smallApp({ allowedHosts: ['api.example'], host: '0.0.0.0', operations })
    const ask = async (host: string, path: string) =>
      (await app.fetch(new Request(`http://${host}${path}`))).status
    for (const host of ['10.1.2.3', '10.1.2.3:3000', '[fd00::7]:3000']) {
      expect(await ask(host, '/ready'), host).toBe(200)
      expect(await ask(host, '/api/ready'), host).toBe(200)
      expect(await ask(host, '/'), host).toBe(403)
      expect(await ask(host, '/ready/things'), host).toBe(403)
    }
    // A name is what a page could have been led here by.
    for (const host of ['evil.example', '10.1.2.3.nip.io', 'intranet', 'localhost']) {
      expect(await ask(host, '/ready'), host).toBe(403)
    }
    expect(await get({ operations }, 'evil.example', undefined, '/ready')).toBe(403)
  })

  it('let only pages of allowed origins call tools', async () => {
    // A GET reaches the protocol's own answer where the origin is allowed.
    expect(await get({}, 'localhost:3000', 'http://localhost:6274', '/mcp')).toBe(405)
    expect(await get({}, 'localhost:3000', 'http://evil.example', '/mcp')).toBe(403)
    expect(await get({}, 'localhost:3000', 'null', '/mcp')).toBe(403)
    expect(
      await get({ corsOrigins: ['https://app.example'] }, 'localhost', 'https://app.example', '/mcp'),
    ).toBe(405)
    expect(await get({ host: '0.0.0.0' }, 'api.example', 'https://evil.example', '/api/mcp')).toBe(403)
  })
})

it('a process that drains tells load balancers, and answers what arrives on the connections that it still has', async () => {
  const { call } = smallApp({ draining: true, operations: [...smallOperations, getReady] })
  const ready = await call('/ready')
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await ready.json()).toMatchObject({ code: 'SHUTTING_DOWN' })
  expect((await call('/things/latest')).status).toBe(200)
  expect((await call('/')).status).toBe(200)
})

describe('cross-origin requests', () => {
  const origin = { Origin: 'https://app.example' }

  it('are off by default', async () => {
    const { call } = smallApp()
    for (const init of [{ headers: origin }, { headers: origin, method: 'OPTIONS' }]) {
      const names = [...(await call('/things/latest', init)).headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('are open to the origins that the operator lists, with the headers that a client needs', async () => {
    const { call } = smallApp({ corsOrigins: ['https://app.example'] })
    const got = (await call('/things/latest', { headers: origin })).headers
    expect(got.get('access-control-allow-origin')).toBe('https://app.example')
    // All that answers say in headers; CSV tells its next page, its block and its warnings there alone.
    const exposed = got.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'Link', 'X-Block-Number', 'X-Warnings']))
    expect(got.get('vary')).toContain('Origin')
    const preflight = await call('/prepare/thing', { headers: origin, method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST, GET, HEAD, OPTIONS')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    const other = (await call('/', { headers: { Origin: 'https://evil.example' } })).headers
    expect([other.get('access-control-allow-origin'), other.get('vary')]).toEqual([
      null,
      'Accept, Authorization, X-API-Key, Origin',
    ])
  })

  it('are open to every page of this machine where the operator says loopback, and to no name like it', async () => {
    const { call } = smallApp({ corsOrigins: ['loopback'] })
    const told = async (named: string) =>
      (await call('/things/latest', { headers: { Origin: named } })).headers.get(
        'access-control-allow-origin',
      )
    for (const named of [
      'http://localhost:5173',
      'http://127.0.0.1:4000',
      'http://[::1]:80',
      'https://localhost',
    ])
      expect(await told(named)).toBe(named)
    for (const named of [
      'http://localhost.evil.example',
      'http://127.0.0.1.nip.io:3000',
      'http://evil.example',
      'http://localhost:1@evil.example',
      'null',
    ])
      expect(await told(named), named).toBeNull()
  })
})

it('says by name what is known and not here, as a route and as a tool', async () => {
  const absent = [
    {
      name: 'get_thing_history',
      rest: { method: 'GET' as const, path: '/things/:id/history' },
      effect: 'read' as const,
      tool: true,
      isSecret: false,
    },
  ]
  const { call } = smallApp({ absent })
  const missing = { code: 'NOT_AT_EDGE', operation: 'get_thing_history' }
  for (const path of ['/things/1/history', '/api/things/1/history']) {
    const response = await call(path)
    expect([response.status, await response.json()]).toEqual([501, expect.objectContaining(missing)])
    expect((await call(path, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  }
  const toolCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_thing_history' } }
  const answer = await call(
    '/mcp?text=json',
    json(toolCall, { Accept: 'application/json, text/event-stream' }),
  )
  const [, message = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? []
  expect(JSON.parse(message)).toMatchObject({ result: { isError: true, structuredContent: missing } })
})
