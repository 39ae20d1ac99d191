import type { Audience } from '@remit/engine/declare/access'
import { RemitError } from '@remit/engine/errors/base'
import { describe, expect, it } from 'vitest'
import { sessionCookie } from '../../calls/sessionCookie.ts'
import { KeysUnavailableError, RateLimitedError } from '../../errors/access.ts'
import type { KeyCheck } from '../keys/LiveKeys.ts'
import { Identities, type IdentitiesOptions } from './Identities.ts'

const ADDRESS = '203.0.113.7'
const FREE = { lane: 'free', id: ADDRESS }
const ADA = { lane: 'developer', id: 'key-1', address: ADDRESS, subject: 'ada' }
const ADMIN_SECRET = 'correct-horse-battery-staple'
const LIVE = 'svc_live'
const VERDICTS: Readonly<Record<string, KeyCheck>> = {
  [LIVE]: { live: true, id: 'key-3', account: 'key-1', subjectId: 'ada' },
  svc_revoked: { live: false, reason: 'revoked', id: 'key-2' },
}

/** Identities over keys that are what they are called, and a count of failures by address. */
function stage(options: Partial<IdentitiesOptions> = {}) {
  const failures = new Map<string, number>()
  const logged: unknown[] = []
  const log = (message: string, facts?: unknown) => logged.push([message, facts])
  const spent = () =>
    new RateLimitedError({
      lane: 'free',
      bucket: 'authFailures',
      limit: 3,
      retryAfterSeconds: 60,
      upgradeHint: null,
      quotas: [],
    })
  const failed = (address: string) => failures.get(address) ?? 0
  const identities = new Identities({
    keys: { check: async (key) => VERDICTS[key] ?? { live: false, reason: 'unknown' } },
    adminSecret: ADMIN_SECRET,
    basicAuth: undefined,
    trustedProxies: [],
    authFailures: {
      admitCredentials(address) {
        if (failed(address) >= 3) throw spent()
      },
      async takeAuthFailure(address) {
        if (failed(address) >= 3) throw spent()
        failures.set(address, failed(address) + 1)
      },
    },
    log: { info: log, warn: log, error: log },
    ...options,
  })
  async function identify(headers: Record<string, string>, audience: Audience = 'callers') {
    const given = new Headers(headers)
    const header = (name: string) => given.get(name) ?? undefined
    const credentials = { remoteAddress: ADDRESS, method: 'GET', header }
    try {
      return await identities.identify(credentials, audience)
    } catch (error) {
      if (!(error instanceof RemitError)) throw error
      const challenge = error.headers['WWW-Authenticate']
      return { status: error.status, code: error.code, ...(challenge === undefined ? {} : { challenge }) }
    }
  }
  return { identify, failures: () => failed(ADDRESS), logged }
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

const BAD_KEY = {
  status: 401,
  code: 'UNAUTHORIZED',
  challenge: 'Bearer realm="Remit", error="invalid_token"',
}
const NO_ADMIN = { status: 401, code: 'UNAUTHORIZED', challenge: 'Bearer realm="Remit"' }
const NO_BASIC = { status: 401, code: 'UNAUTHORIZED', challenge: 'Basic realm="Remit", charset="UTF-8"' }
const MALFORMED = { status: 400, code: 'VALIDATION_ERROR' }
const SPENT = { status: 429, code: 'RATE_LIMITED' }

describe('a caller', () => {
  it('without credentials is on the free lane, by its address', async () => {
    expect(await stage().identify({})).toEqual(FREE)
  })

  it.each([
    ['Bearer', bearer(LIVE)],
    ['bearer, the scheme in any case', { Authorization: `bEaReR   ${LIVE}` }],
    ['X-API-Key', { 'X-API-Key': LIVE }],
    ['both, the same', { ...bearer(LIVE), 'X-API-Key': LIVE }],
    ['X-API-Key, behind a proxy with a Basic Auth of its own', { ...basic('a:b'), 'X-API-Key': LIVE }],
  ])('with a live key in %s is on the developer lane, by the account of the key', async (_, headers) => {
    const { identify, failures } = stage()
    expect(await identify(headers)).toEqual(ADA)
    expect(failures()).toBe(0)
  })

  it.each([
    ['revoked', bearer('svc_revoked')],
    ['unknown', bearer('svc_unknown')],
    ['of another prefix', bearer('sk_live_1')],
    ['unknown, in X-API-Key', { 'X-API-Key': 'svc_unknown' }],
    ['empty, in X-API-Key', { 'X-API-Key': '' }],
    ['the admin secret, which is no key', bearer(ADMIN_SECRET)],
    ['of Basic Auth, which nobody asked for', basic('a:b')],
    ['of a scheme that is not known here', { Authorization: 'Digest username="a"' }],
  ])('is refused alike, and never passed over for the free lane, where the key is %s', async (_, headers) => {
    const { identify, failures } = stage()
    expect(await identify(headers)).toEqual(BAD_KEY)
    expect(failures()).toBe(1)
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'svc_live',
    'B(arer a',
    'Bearer\u00e9 a',
  ])('whose Authorization is "%s" has sent a malformed one', async (authorization) => {
    const { identify, failures } = stage()
    expect(await identify({ Authorization: authorization })).toEqual(MALFORMED)
    expect(failures()).toBe(1)
  })

  it('who sends two different keys is refused', async () => {
    expect(await stage().identify({ ...bearer(LIVE), 'X-API-Key': 'svc_other' })).toEqual(MALFORMED)
    expect(await stage().identify({ ...bearer(LIVE), 'X-API-Key': '' })).toEqual(MALFORMED)
  })

  it('gets 429 after too many failures, and is still let in with a live key', async () => {
    const { identify, failures } = stage()
    for (let failure = 0; failure < 3; failure += 1) expect(await identify(bearer('x'))).toEqual(BAD_KEY)
    expect(await identify(bearer('x'))).toEqual(SPENT)
    expect(failures()).toBe(3)
    expect(await identify(bearer(LIVE))).toEqual(ADA)
    expect(await identify({})).toEqual(FREE)
  })

  it('gets KEYS_UNAVAILABLE for a key while the store is away; without credentials it is on the free lane', async () => {
    const { identify, failures } = stage({
      keys: { check: () => Promise.reject(KeysUnavailableError.away(new Error('away'))) },
    })
    expect(await identify(bearer(LIVE))).toEqual({ status: 503, code: 'KEYS_UNAVAILABLE' })
    expect(failures()).toBe(0)
    expect(await identify({})).toEqual(FREE)
  })

  it('is refused with any key where keys are switched off', async () => {
    expect(await stage({ keys: undefined }).identify(bearer(LIVE))).toEqual(BAD_KEY)
  })

  it('does not learn the reason; the log has it with the id of the key and never the key', async () => {
    const { identify, logged } = stage()
    await identify(bearer('svc_revoked'))
    await identify(bearer('svc_unknown'))
    expect(logged).toEqual([
      ['An API key was refused', { reason: 'revoked', id: 'key-2' }],
      ['An API key was refused', { reason: 'unknown' }],
    ])
  })
})

it('a session that has ended, or never was counts as a failure of its address', async () => {
  const cookie = sessionCookie(false)
  const sessions = {
    portal: 'open',
    find: async () => undefined,
    requireKeysFor: () => {},
    mayHaveKeys: () => true,
    owns: () => true,
  } as const
  const { identify, failures } = stage({ portal: { sessions, cookie } })
  const Cookie = cookie.set('a'.repeat(43), 60)
  for (let asked = 1; asked <= 3; asked += 1) {
    expect(await identify({ Cookie }, 'developers')).toMatchObject({ status: 401 })
    expect(failures()).toBe(asked)
  }
  expect(await identify({ Cookie }, 'operators')).toEqual(SPENT)
})

describe('an operator', () => {
  const operator = { ...FREE, operator: true }

  it.each([
    ['Bearer', bearer(ADMIN_SECRET)],
    ['X-Service-Admin-Key', { 'X-Service-Admin-Key': ADMIN_SECRET }],
    ['both', { ...bearer(ADMIN_SECRET), 'X-Service-Admin-Key': ADMIN_SECRET }],
    ['Bearer, beside a key that does not matter', { ...bearer(ADMIN_SECRET), 'X-API-Key': 'svc_unknown' }],
  ])('shows the admin secret in %s', async (_, headers) => {
    const { identify, failures } = stage()
    expect(await identify(headers, 'operators')).toEqual(operator)
    expect(failures()).toBe(0)
  })

  it('may have a secret of any characters', async () => {
    const adminSecret = 'grüße, 世界 — sechzehn'
    const said = Buffer.from(adminSecret).toString('latin1')
    expect(await stage({ adminSecret }).identify(bearer(said), 'operators')).toEqual(operator)
  })

  it.each([
    ['a wrong secret', bearer(`${ADMIN_SECRET}!`)],
    ['a part of it', { 'X-Service-Admin-Key': ADMIN_SECRET.slice(0, -1) }],
    ['a live key', bearer(LIVE)],
    ['another scheme', basic(ADMIN_SECRET)],
  ])('is not who shows %s', async (_, headers) => {
    const { identify, failures } = stage()
    expect(await identify(headers, 'operators')).toEqual(BAD_KEY)
    expect(failures()).toBe(1)
  })

  it('must send a secret; sending none is no failure', async () => {
    const { identify, failures } = stage()
    expect(await identify({ 'X-API-Key': LIVE }, 'operators')).toEqual(NO_ADMIN)
    expect(failures()).toBe(0)
  })

  it('cannot be guessed: after too many failures the right secret is refused like a wrong one', async () => {
    const { identify } = stage()
    for (let guess = 0; guess < 3; guess += 1) await identify(bearer('guess'), 'operators')
    expect(await identify(bearer('guess'), 'operators')).toEqual(SPENT)
    expect(await identify(bearer(ADMIN_SECRET), 'operators')).toEqual(SPENT)
  })

  it('is told where keys are switched off, or no secret of 16 characters is set', async () => {
    const off = stage({ keys: undefined })
    expect(await off.identify(bearer(ADMIN_SECRET), 'operators')).toEqual({
      status: 403,
      code: 'DEVELOPER_KEYS_DISABLED',
    })
    for (const adminSecret of [undefined, '', 'fifteen-letters']) {
      const { identify } = stage({ adminSecret })
      const answer = await identify(bearer(adminSecret || 'undefined'), 'operators')
      expect(answer).toEqual({ status: 503, code: 'ADMIN_NOT_CONFIGURED' })
    }
  })

  it('is an ordinary caller on other routes', async () => {
    expect(await stage().identify({ 'X-Service-Admin-Key': ADMIN_SECRET })).toEqual(FREE)
  })
})

describe('Basic Auth', () => {
  const basicAuth = { user: 'ada', password: 'pass:wörd' }
  const right = basic('ada:pass:wörd')

  it('opens the free lane, and with a key in X-API-Key the developer lane', async () => {
    const { identify, failures } = stage({ basicAuth })
    expect(await identify(right)).toEqual(FREE)
    expect(await identify({ ...right, 'X-API-Key': LIVE })).toEqual(ADA)
    expect(await identify({ ...right, 'X-API-Key': 'svc_unknown' })).toEqual(BAD_KEY)
    expect(failures()).toBe(1)
  })

  it('comes before the admin secret, which goes in its own header', async () => {
    const { identify } = stage({ basicAuth })
    expect(await identify({ 'X-Service-Admin-Key': ADMIN_SECRET }, 'operators')).toEqual(NO_BASIC)
    expect(await identify(right, 'operators')).toEqual(NO_ADMIN)
    const both = { ...right, 'X-Service-Admin-Key': ADMIN_SECRET }
    expect(await identify(both, 'operators')).toEqual({ ...FREE, operator: true })
  })

  it.each([
    ['a wrong password', basic('ada:pass')],
    ['a wrong user', basic('bob:pass:wörd')],
    ['a bearer', bearer(LIVE)],
  ])('refuses %s', async (_, headers) => {
    const { identify, failures } = stage({ basicAuth })
    expect(await identify(headers)).toEqual(NO_BASIC)
    expect(failures()).toBe(1)
  })

  it('asks for credentials where none were sent; that is no failure', async () => {
    const { identify, failures } = stage({ basicAuth })
    expect(await identify({ 'X-API-Key': LIVE })).toEqual(NO_BASIC)
    expect(failures()).toBe(0)
  })

  it.each(['Basic !!', 'Basic YWRh', 'Basic'])('calls "%s" malformed', async (authorization) => {
    expect(await stage({ basicAuth }).identify({ Authorization: authorization })).toEqual(MALFORMED)
  })

  it('cannot be guessed: after too many failures the right password is refused like a wrong one', async () => {
    const { identify } = stage({ basicAuth })
    for (let guess = 0; guess < 3; guess += 1) await identify(basic('ada:guess'))
    expect(await identify(right)).toEqual(SPENT)
  })

  it('does not protect routes for anyone, where no credentials are looked at', async () => {
    const { identify } = stage({ basicAuth })
    expect(await identify({}, 'anyone')).toEqual(FREE)
    expect(await identify(basic('ada:guess'), 'anyone')).toEqual(FREE)
    for (const headers of [{ 'X-API-Key': LIVE }, bearer('svc_unknown'), { Authorization: 'Bearer' }])
      expect(await identify(headers, 'anyone')).toEqual(FREE)
    expect(await identify({ 'X-API-Key': LIVE }, 'entered')).toEqual(ADA)
  })
})
