import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { ADMIN_SECRET, startTestService, useTestService } from '@remit/testing/support/service/testService'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const service = await useTestService([chain])
const off = await useTestService([chain], { DEVELOPER_KEYS_ENABLED: 'false' })
const short = await useTestService([chain], { DEVELOPER_KEYS_ADMIN_SECRET: 'fifteen-letters' })
const guarded = await useTestService([chain], { LIMIT_AUTH_FAILURES_RPM: '2' })
const metered = await useTestService([chain], { LIMIT_FREE_GLOBAL_RPM: '1' })

const admin = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
const remove = { ...admin, method: 'DELETE' }

const Key = z.looseObject({ id: z.string(), subjectId: z.string(), revokedAt: z.number().nullable() })
const Created = z.object({ id: z.string(), token: z.string(), key: Key })
const Listed = z.object({ keys: z.array(Key), nextCursor: z.string().nullable() })

async function create(subjectId: string, rest: object = {}, on = service) {
  const { status, body } = await on.post('/developer/keys', { subjectId, ...rest }, admin)
  expect(status, JSON.stringify(body)).toBe(201)
  return Created.parse(body)
}

async function codeOf(answer: Promise<{ status: number; body: Record<string, unknown> }>) {
  const { status, body } = await answer
  return { status, code: body.code }
}

describe('POST /developer/keys', () => {
  it('makes a key, shows it once, and lets nobody keep the answer', async () => {
    const now = Math.floor(Date.now() / 1000)
    const input = { subjectId: 'ada', label: 'Billing', expiresAt: now + 3600 }
    const { status, body, headers } = await service.post('/developer/keys', input, admin)
    const { token, id } = Created.parse(body)
    expect(status).toBe(201)
    expect(body).toEqual({
      id,
      token,
      key: {
        id,
        subjectId: 'ada',
        label: 'Billing',
        prefix: token.slice(0, 12),
        createdAt: expect.any(Number),
        lastUsedAt: null,
        expiresAt: now + 3600,
        revokedAt: null,
      },
      warning: 'Keep the token now: only its hash is stored, and it cannot be shown again.',
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-service-lane')).toBe('free')
    expect(headers.get('ratelimit')).toBeNull()
    const answers = [
      await service.get(`/developer/keys/${id}`, admin),
      await service.get('/developer/keys', admin),
    ]
    for (const answer of answers) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('etag')).toBeNull()
      expect(JSON.stringify(answer.body)).not.toContain(token.slice(12))
    }
  })

  it.each([
    [{}, 'subjectId'],
    [{ subjectId: '' }, 'subjectId'],
    [{ subjectId: 'a'.repeat(201) }, 'subjectId'],
    [{ subjectId: 'a\u0000b' }, 'subjectId'],
    [{ subjectId: 7 }, 'subjectId'],
    [{ subjectId: 'ada', label: 'a'.repeat(101) }, 'label'],
    [{ subjectId: 'ada', expiresAt: 1 }, 'expiresAt'],
    [{ subjectId: 'ada', expiresAt: '2031-01-01' }, 'expiresAt'],
    [{ subjectId: 'ada', scope: 'all' }, 'scope'],
  ])('refuses %j, naming the field', async (input, path) => {
    const { status, body } = await service.post('/developer/keys', input, admin)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.issues).toEqual([expect.objectContaining({ path })])
  })
})

it.each(['?after=nonsense', '?first=101', '?first=0', '?skip=1', '?subjectId='])(
  'GET /developer/keys refuses %s',
  async (query) => {
    const answer = codeOf(service.get(`/developer/keys${query}`, admin))
    expect(await answer).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  },
)

describe('a key by its id', () => {
  it('is renamed as often as one likes, and nothing else of it changes', async () => {
    const { id, key } = await create('renamed', { label: 'Billing' })
    const rename = (label: unknown, at = id) => service.post(`/developer/keys/${at}`, { label }, admin)
    for (const label of ['The till', null, 'The till']) {
      const { status, body } = await rename(label)
      expect({ status, body }).toEqual({ status: 200, body: { key: { ...key, label } } })
    }
    expect((await service.get(`/developer/keys/${id}`, admin)).body).toEqual({
      key: { ...key, label: 'The till' },
    })
    expect(await codeOf(rename('Mine', 'nobodys'))).toEqual({ status: 404, code: 'NOT_FOUND' })
    const answers = [await rename('a'.repeat(101)), await rename(undefined)]
    for (const { status, body } of answers) {
      expect({ status, issues: body.issues }).toMatchObject({ status: 400, issues: [{ path: 'label' }] })
    }
  })

  it('is revoked at once and for good, a second time with the same answer', async () => {
    const { id, token } = await create('revoked')
    const use = () => service.get('/catalog', { headers: { Authorization: `Bearer ${token}` } })
    expect((await use()).headers.get('x-service-lane')).toBe('developer')

    const { status, body } = await service.get(`/developer/keys/${id}`, remove)
    expect({ status, body }).toMatchObject({ status: 200, body: { revoked: true, key: { id } } })
    expect(await codeOf(use())).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    expect((await service.get(`/developer/keys/${id}`, remove)).body).toEqual(body)
    expect((await service.get(`/developer/keys/${id}`, admin)).body).toEqual({ key: body.key })
  })

  it.each(['nobodys', '00000000-0000-0000-0000-000000000000'])(
    'is 404 where there is none: %s',
    async (id) => {
      const absent = { status: 404, code: 'NOT_FOUND' }
      expect(await codeOf(service.get(`/developer/keys/${id}`, admin))).toEqual(absent)
      expect(await codeOf(service.get(`/developer/keys/${id}`, remove))).toEqual(absent)
    },
  )

  it('is 400 where it can be no id', async () => {
    const answer = codeOf(service.get('/developer/keys/a%00b', admin))
    expect(await answer).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('the admin secret', () => {
  it('may come in X-Service-Admin-Key, under both prefixes', async () => {
    const headers = { 'X-Service-Admin-Key': ADMIN_SECRET }
    expect((await service.get('/developer/keys', { headers })).status).toBe(200)
    expect((await service.get('/api/developer/keys', { headers })).status).toBe(200)
  })

  it('is asked for before chainId and before the route are looked at', async () => {
    for (const path of ['/developer/keys', '/developer/keys?chainId=x', '/developer/keys/a/b']) {
      const { status, headers } = await service.get(path)
      expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
        status: 401,
        challenge: 'Bearer realm="Remit"',
      })
    }
    const answers = [
      await codeOf(service.get('/developer/keys?chainId=x', admin)),
      await codeOf(service.get('/developer/keys/a/b', admin)),
      await codeOf(service.get('/developer/keys', { ...admin, method: 'PUT' })),
    ]
    expect(answers).toEqual([
      { status: 400, code: 'VALIDATION_ERROR' },
      { status: 404, code: 'NOT_FOUND' },
      { status: 405, code: 'METHOD_NOT_ALLOWED' },
    ])
  })

  it('opens nothing else, and a developer’s key does not open key management', async () => {
    expect(await codeOf(service.get('/catalog', admin))).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    const { token } = await create('curious')
    const headers = { Authorization: `Bearer ${token}` }
    expect(await codeOf(service.get('/developer/keys', { headers }))).toEqual({
      status: 401,
      code: 'UNAUTHORIZED',
    })
    expect(await codeOf(service.get('/developer/%6beys', { headers }))).toEqual({
      status: 401,
      code: 'UNAUTHORIZED',
    })
  })

  it('is not metered when it is right', async () => {
    for (let request = 0; request < 5; request += 1) {
      expect((await metered.get('/developer/keys', admin)).status).toBe(200)
    }
    expect((await metered.get('/catalog')).status).toBe(200)
    expect((await metered.get('/catalog')).status).toBe(429)
  })

  it('can be guessed at twice a minute where the limit says so, and costs nothing else', async () => {
    const wrong = { headers: { Authorization: 'Bearer wrong-but-long-enough' } }
    expect((await guarded.get('/developer/keys', wrong)).status).toBe(401)
    expect((await guarded.get('/catalog', wrong)).status).toBe(401)
    const { status, body, headers } = await guarded.get('/developer/keys', wrong)
    expect({ status, ...body }).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      bucket: 'authFailures',
      limit: 2,
    })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await guarded.get('/developer/keys', admin)).status).toBe(429)
    expect((await guarded.get('/catalog')).status).toBe(200)
  })
})

describe('key management', () => {
  it('is 403 where keys are switched off, and every key is then refused', async () => {
    const disabled = { status: 403, code: 'DEVELOPER_KEYS_DISABLED' }
    expect(await codeOf(off.get('/developer/keys', admin))).toEqual(disabled)
    expect(await codeOf(off.post('/developer/keys', { subjectId: 'ada' }, admin))).toEqual(disabled)
    const { token } = await create('elsewhere')
    const headers = { Authorization: `Bearer ${token}` }
    expect(await codeOf(off.get('/catalog', { headers }))).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    const { body } = await off.get('/catalog')
    expect(body).toMatchObject({
      developerKeysEnabled: false,
      access: { rest: { developer: { enabled: false, limits: null, management: null } } },
    })
  })

  it('is 503 where no admin secret of 16 characters is set, which the log says without the secret', async () => {
    const said = { headers: { Authorization: 'Bearer fifteen-letters' } }
    expect(await codeOf(short.get('/developer/keys', said))).toEqual({
      status: 503,
      code: 'ADMIN_NOT_CONFIGURED',
    })
    expect(short.logged.join()).toContain('DEVELOPER_KEYS_ADMIN_SECRET has fewer than 16 characters')
    expect(short.logged.join()).not.toContain('fifteen-letters')
  })

  it('is told of by the catalog', async () => {
    const { body } = await service.get('/catalog')
    expect(body).toMatchObject({
      developerKeysEnabled: true,
      access: {
        rest: {
          developer: {
            enabled: true,
            management: {
              create: `${service.url}/developer/keys`,
              list: `${service.url}/developer/keys?subjectId=<subject_id>`,
              revoke: `${service.url}/developer/keys/:id`,
              adminAuth: 'Authorization: Bearer <DEVELOPER_KEYS_ADMIN_SECRET>, or X-Service-Admin-Key',
            },
          },
        },
      },
    })
    for (const method of ['POST', 'GET']) {
      expect(body.routes).toContainEqual(expect.objectContaining({ method, path: '/api/developer/keys' }))
    }
    const byId = expect.objectContaining({ method: 'DELETE', path: '/api/developer/keys/:id' })
    expect(body.routes).toContainEqual(byId)
  })
})

describe('a lost admin secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-admin-secret-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is replaced by a restart with another one: keys go on, and the old one opens nothing', async () => {
    const DATABASE_URL = `file:${join(folder, 'remit.db')}`
    const before = await startTestService([chain], { DATABASE_URL })
    const { token, id } = await create('ada', {}, before)
    await before.close()
    const another = 'another-correct-horse-battery'
    const after = await startTestService([chain], { DATABASE_URL, DEVELOPER_KEYS_ADMIN_SECRET: another })
    const lane = (await after.get('/catalog', { headers: { Authorization: `Bearer ${token}` } })).headers
    expect(lane.get('x-service-lane')).toBe('developer')
    expect(await codeOf(after.get('/developer/keys', admin))).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    const { body } = await after.get('/developer/keys', { headers: { Authorization: `Bearer ${another}` } })
    expect(Listed.parse(body).keys.map((key) => key.id)).toEqual([id])
    await after.close()
  })
})
