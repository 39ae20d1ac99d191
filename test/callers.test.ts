import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mintKey } from '@remit/service/testing/access/keys/apiKey'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import {
  ADMIN_SECRET,
  startTestService,
  type TestService,
  useTestService,
} from './support/service/testService.ts'
import { postgresIsInstalled, usePostgres } from './support/stores/postgres.ts'

const chain = await useTestChain()
const folder = mkdtempSync(join(tmpdir(), 'remit-callers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const service = await useTestService([chain])
const basicAuth = {
  API_REQUIRE_BASIC_AUTH: 'true',
  API_BASIC_AUTH_USER: 'ada',
  API_BASIC_AUTH_PASSWORD: 'lovelace:1815',
}
const closed = await useTestService([chain], basicAuth)
const proxied = await useTestService([chain], {
  TRUSTED_PROXIES: '127.0.0.0/8, ::1',
  LIMIT_FREE_GLOBAL_RPM: '2',
})

type Headers = Record<string, string>

interface Answer {
  readonly status: number
  readonly lane: string | null
  readonly challenge: string | null
  readonly body: Record<string, unknown>
}

const Body = z.record(z.string(), z.unknown())
const Created = z.object({ id: z.string(), token: z.string() })

/** The same question over either surface; over MCP by a tool's call, whose answer may be framed as an event. */
const surfaces: Readonly<Record<string, (on: TestService, headers?: Headers) => Promise<Answer>>> = {
  REST: (on, headers = {}) => ask(`${on.url}/catalog`, { headers }),
  MCP: (on, headers = {}) =>
    ask(`${on.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_chains', arguments: {} },
      }),
    }),
}
const both = Object.entries(surfaces)

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const text = (await response.text()).replace(/^[^{]*/, '')
  return {
    status: response.status,
    lane: response.headers.get('x-service-lane'),
    challenge: response.headers.get('www-authenticate'),
    body: Body.parse(JSON.parse(text)),
  }
}

const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` })
const basic = (pair: string): Headers => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
const secretOnly: Headers = { 'X-Service-Admin-Key': ADMIN_SECRET }

async function create(on: TestService, extra: Headers = {}) {
  const { status, body } = await on.post(
    '/developer/keys',
    { subjectId: 'ada' },
    { headers: { ...secretOnly, ...extra } },
  )
  expect(status).toBe(201)
  return Created.parse(body)
}

const revoke = (on: TestService, id: string) =>
  on.get(`/developer/keys/${id}`, { method: 'DELETE', headers: secretOnly })

const { token } = await create(service)
const revoked = await create(service)
await revoke(service, revoked.id)
const mistyped = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`

describe.each(both)('over %s', (_name, call) => {
  it('nobody in particular is on the free lane', async () => {
    expect(await call(service)).toMatchObject({ status: 200, lane: 'free' })
  })

  it.each([
    ['Bearer', bearer(token)],
    ['bearer in capitals', { Authorization: `BEARER ${token}` }],
    ['X-API-Key', { 'X-API-Key': token }],
    ['both', { ...bearer(token), 'X-API-Key': token }],
  ])('a live key as %s is on the developer lane', async (_way, headers) => {
    expect(await call(service, headers)).toMatchObject({ status: 200, lane: 'developer' })
  })

  it('every bad key gets the same answer, whatever is wrong with it', async () => {
    const bad = [mintKey(), revoked.token, mistyped, token.slice(0, -1), `sk_${token.slice(4)}`, ADMIN_SECRET]
    const answers = [
      ...(await Promise.all(bad.map((key) => call(service, bearer(key))))),
      await call(service, { 'X-API-Key': revoked.token }),
      await call(service, basic('ada:lovelace')),
    ]
    for (const { status, lane, challenge, body } of answers) {
      const { requestId: _, ...said } = body
      expect({ status, lane, challenge, said }).toEqual({
        status: 401,
        lane: 'free',
        challenge: 'Bearer realm="Remit", error="invalid_token"',
        said: { code: 'UNAUTHORIZED', error: expect.stringContaining('not a live one') },
      })
    }
    expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1)
  })

  it.each([
    ['Bearer without a key', { Authorization: 'Bearer' }],
    ['two words', { Authorization: 'Bearer a b' }],
    ['a key without a scheme', { Authorization: token }],
    ['two keys that differ', { ...bearer(token), 'X-API-Key': mintKey() }],
  ])('%s is 400', async (_way, headers) => {
    const { status, body } = await call(service, headers)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })

  it('Basic Auth comes before everything but health, and keys go beside it', async () => {
    const right = basic('ada:lovelace:1815')
    const challenge = 'Basic realm="Remit", charset="UTF-8"'
    for (const headers of [{}, basic('ada:lovelace'), bearer(token), { 'X-API-Key': token }]) {
      expect(await call(closed, headers)).toMatchObject({ status: 401, challenge })
    }
    expect(await call(closed, right)).toMatchObject({ status: 200, lane: 'free' })
    const own = await create(closed, right)
    expect(await call(closed, { ...right, 'X-API-Key': own.token })).toMatchObject({ lane: 'developer' })
    expect(await call(closed, { ...right, 'X-API-Key': token })).toMatchObject({ status: 401 })
    expect((await closed.get('/catalog', { headers: right })).body).toMatchObject({
      access: {
        rest: {
          developer: {
            auth: 'X-API-Key: <API_KEY>',
            management: { adminAuth: 'X-Service-Admin-Key: <DEVELOPER_KEYS_ADMIN_SECRET>' },
          },
        },
      },
    })
  })

  it('who is behind a trusted proxy has limits of its own', async () => {
    const from = (address: string) => call(proxied, { 'X-Forwarded-For': `203.0.113.1, ${address}` })
    const spent = async (answer: Answer) => JSON.stringify(answer.body).includes('RATE_LIMITED')
    const [one, same, other] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1']
    // A network for each surface, since both share one count.
    const at = (address: string) => address.replace('db8', call === surfaces.REST ? 'db8' : 'db9')
    expect(await spent(await from(at(one)))).toBe(false)
    expect(await spent(await from(at(same)))).toBe(false)
    expect(await spent(await from(at(same)))).toBe(true)
    expect(await spent(await from(at(other)))).toBe(false)
  })
})

it('Basic Auth is asked for before a route is looked for, and not for health', async () => {
  for (const path of ['/', '/nothing', '/developer/keys', '/protocol/state?chainId=x']) {
    expect((await closed.get(path)).status).toBe(401)
  }
  expect((await closed.get('/status')).status).toBe(200)
  expect((await closed.get('/api/status', { headers: basic('ada:wrong') })).status).toBe(200)
  expect([200, 503]).toContain((await closed.get('/ready')).status)
})

it('the log tells a revoked key from an unknown and a mistyped one, and holds no key', async () => {
  const lines = service.logged.filter((line) => line.startsWith('An API key was refused'))
  const told = lines.join()
  for (const reason of ['unknown', 'revoked', 'mistyped', 'malformed']) expect(told).toContain(`"${reason}"`)
  expect(told).toContain(revoked.id)
  const all = service.logged.join()
  for (const secret of [token, revoked.token, mistyped, ADMIN_SECRET]) {
    expect(all).not.toContain(secret.slice(12))
    expect(all).not.toContain(secret)
  }
})

it('keys show when they were last used, once the process that saw it has ended', async () => {
  const url = `file:${join(folder, 'uses.db')}`
  const first = await startTestService([chain], { DATABASE_URL: url })
  const key = await create(first)
  await first.get('/catalog', { headers: bearer(key.token) })
  await first.close()
  const second = await startTestService([chain], { DATABASE_URL: url })
  const { body } = await second.get(`/developer/keys/${key.id}`, { headers: secretOnly })
  expect(body).toMatchObject({ key: { lastUsedAt: expect.any(Number) } })
  await second.close()
})

describe.skipIf(!postgresIsInstalled)('two services over one Postgres', () => {
  const postgres = usePostgres()
  const lane = async (on: TestService, key: string) => (await surfaces.REST?.(on, bearer(key)))?.status

  it('refuse a revoked key at once where it was revoked, and within a second on the other', async () => {
    const environment = { DATABASE_URL: await postgres.createDatabase() }
    const [here, there] = [
      await startTestService([chain], environment),
      await startTestService([chain], environment),
    ]
    try {
      const key = await create(here)
      expect([await lane(here, key.token), await lane(there, key.token)]).toEqual([200, 200])
      await revoke(here, key.id)
      const revokedAt = performance.now()
      expect(await lane(here, key.token)).toBe(401)
      let lastTaken = 0
      while (performance.now() - revokedAt < 1_500) {
        const asked = performance.now()
        if ((await lane(there, key.token)) === 200) lastTaken = asked - revokedAt
        else break
      }
      expect(lastTaken).toBeLessThan(1_000)
      expect(await lane(there, key.token)).toBe(401)
    } finally {
      await here.close()
      await there.close()
    }
  }, 30_000)

  it('never refuse a live key nor take a revoked one while it is killed and started again under calls', async () => {
    const environment = { DATABASE_URL: await postgres.createDatabase(), WEBHOOKS: 'true' }
    const on = await startTestService([chain], environment)
    try {
      const [live, dead, unused] = [await create(on), await create(on), await create(on)]
      await revoke(on, dead.id)
      expect(await lane(on, live.token)).toBe(200)
      const seen = { live: new Set<number>(), dead: new Set<number>(), free: new Set<number>() }
      let calling = true
      const callers = Array.from({ length: 8 }, async () => {
        while (calling) {
          seen.live.add((await lane(on, live.token)) ?? 0)
          seen.dead.add((await lane(on, dead.token)) ?? 0)
          seen.free.add((await on.get('/catalog')).status)
        }
      })
      await postgres.kill()
      await expect.poll(() => lane(on, unused.token), { timeout: 10_000 }).toBe(503)
      const away = await on.get('/catalog', { headers: bearer(unused.token) })
      expect(away).toMatchObject({ status: 503, body: { code: 'KEYS_UNAVAILABLE' } })
      expect(away.headers.get('retry-after')).toBe('1')
      const made = await on.post('/developer/keys', { subjectId: 'ada' }, { headers: secretOnly })
      expect(made).toMatchObject({ status: 503, body: { code: 'KEYS_UNAVAILABLE' } })
      // A key that goes on meets the same store there.
      const webhooks = await on.get('/developer/webhooks', { headers: bearer(live.token) })
      expect(webhooks).toMatchObject({ status: 503, body: { code: 'KEYS_UNAVAILABLE' } })
      // What tells how the service is asks no store, whatever it is shown.
      for (const path of ['/', '/api', '/api/', '/status', '/api/status', '/ready', '/api/ready']) {
        for (const headers of [bearer(unused.token), { 'X-API-Key': mintKey() }, basic('a:b'), bearer('a b')])
          expect((await on.get(path, { headers })).status, path).toBe(200)
      }
      await postgres.restart()
      await expect.poll(() => lane(on, unused.token), { timeout: 10_000 }).toBe(200)
      await expect.poll(() => lane(on, dead.token), { timeout: 10_000 }).toBe(401)
      calling = false
      await Promise.all(callers)
      // It was in use, and goes on.
      expect([...seen.live]).toEqual([200])
      expect([401, 503]).toEqual(expect.arrayContaining([...seen.dead]))
      expect([...seen.free]).toEqual([200])
    } finally {
      await on.close()
    }
  }, 40_000)
})
