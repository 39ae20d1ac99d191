import { collectGarbage } from '@remit/testing/support/runner/collectGarbage'
import { failure, READY, refuses, says, scripted } from '@remit/testing/support/service/scriptedFetch'
import { serve } from '@remit/testing/support/service/serve'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NetworkError, RemitError, TimeoutError, UnexpectedAnswerError } from '../errors/RemitError.ts'
import { createCaller } from './createCaller.ts'
import { exchange } from './exchange.ts'
import { createHeaders } from './headers.ts'
import { baseUrl } from './parseUrl.ts'

afterEach(() => vi.unstubAllGlobals())

it('sends what the operation declares, and follows nothing by itself', async () => {
  const { call, requests } = scripted([says(200, READY)])
  expect(await call('getReady')).toEqual(READY)
  expect(requests).toEqual([
    {
      url: 'https://remit.example/api/ready',
      init: {
        method: 'GET',
        headers: { Accept: 'application/json' },
        redirect: 'manual',
        signal: expect.any(AbortSignal),
      },
    },
  ])
})

it('uses the fetch that the platform has when it is called', async () => {
  const call = createCaller(
    { url: 'https://remit.example' },
    { now: Date.now, random: Math.random, sleep: async () => {} },
  )
  vi.stubGlobal('fetch', async () => Response.json(READY))
  expect(await call('getReady')).toEqual(READY)
})

describe('what is not the service’s JSON', () => {
  it.each<[number, string, string]>([
    [502, 'text/html; charset=utf-8', 'answered 502 with what is not this service’s JSON (text/html)'],
    [200, 'text/html', 'answered 200 with what is not this service’s JSON (text/html)'],
    [404, 'application/json', 'answered 404 with what is not this service’s JSON (application/json)'],
  ])('%i %s is an error that says so', async (status, type, message) => {
    const body = type === 'application/json' ? { message: 'no Route matched' } : '<html>'
    const { call } = scripted([says(status, body, { 'Content-Type': type })], { retries: 0 })
    const error = await failure(call('getReady'))
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error).toMatchObject({
      status,
      message: expect.stringContaining(`https://remit.example ${message}`),
    })
  })

  it('is named by the operation and the path where an answer is not as declared', async () => {
    const { call } = scripted([says(200, { ready: 'yes' })])
    const error = await failure(call('getReady'))
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error).toMatchObject({ message: 'getReady: `ready` is not true.', status: 200 })
  })

  it.each([
    ['https://elsewhere.example/api/ready?session=s3cret', ' to https://elsewhere.example/api/ready'],
    ['/login?next=s3cret', ' to https://remit.example/login'],
    [undefined, ''],
  ])('a redirect is an error that says where to', async (location, to) => {
    const { call, requests } = scripted(
      [says(302, '', location === undefined ? {} : { Location: location })],
      {
        apiKey: 'svc_1',
      },
    )
    const error = await failure(call('getReady'))
    expect(error).toMatchObject({
      status: 302,
      message: `https://remit.example redirects${to}: set url to where the service itself is.`,
    })
    expect(requests).toHaveLength(1)
  })
})

describe('an abort', () => {
  it('ends the wait for another try, with the signal’s reason', async () => {
    const aborting = new AbortController()
    const reason = new Error('The page was left')
    const step = () => {
      aborting.abort(reason)
      return refuses(502, 'UPSTREAM_ERROR')()
    }
    const { call, requests } = scripted([step])
    expect(await failure(call('getReady', {}, { signal: aborting.signal }))).toBe(reason)
    expect(requests).toHaveLength(1)
  })

  it('that came before sends nothing', async () => {
    const { call, requests } = scripted([])
    const reason = new Error('Never mind')
    expect(await failure(call('getReady', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(requests).toEqual([])
  })
})

it('tells no secret, whatever fails', async () => {
  const secrets = {
    apiKey: 'svc_s3cret',
    adminSecret: 's3cret-s3cret-s3cret',
    basicAuth: { user: 'a', password: 's3cret' },
  }
  const steps = [
    new TypeError('fetch failed'),
    says(502, '<html>'),
    refuses(401, 'UNAUTHORIZED'),
    says(302, ''),
  ]
  for (const step of steps) {
    const { call } = scripted([step], { ...secrets, retries: 0 })
    for (const name of ['getReady', 'listKeys']) {
      const error = await failure(call(name))
      expect(error instanceof RemitError || error instanceof NetworkError || error instanceof Error).toBe(
        true,
      )
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/s3cret|czNjcmV0/)
    }
  }
})

it.each([
  [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs must be 1 to 2147483647'],
  [{ timeoutMs: 0 }, 'timeoutMs must be 1 to 2147483647'],
  [{ retries: -1 }, 'retries must be 0 to 100'],
  [{ maxRetryAfterSeconds: Number.NaN }, 'maxRetryAfterSeconds must be 0 to 2000000'],
])('refuses %j', async (options, message) => {
  expect(() => scripted([], options)).toThrow(new RangeError(message))
})

it.each([
  ['https://remit.example', 'https://remit.example'],
  ['https://remit.example/', 'https://remit.example'],
  ['http://localhost:3000/api', 'http://localhost:3000/api'],
  ['https://remit.example/pay/api//', 'https://remit.example/pay/api'],
  [new URL('https://remit.example/api/'), 'https://remit.example/api'],
])('%s is %s', (url, base) => {
  expect(baseUrl(url)).toBe(base)
})

it.each([
  '',
  'remit.example',
  'ftp://remit.example',
  'https://u:hunter2@remit.example',
  'https://remit.example/?key=hunter2',
  'https://remit.example/#hunter2',
])('refuses %j without repeating it', (url) => {
  expect(() => baseUrl(url)).toThrow(/^url must /)
  expect(() => baseUrl(url)).not.toThrow(/hunter2/)
})

/** Answers nothing, or begins an answer and never ends it. */
const url = await serve((request, response) => {
  if (request.url === '/begun') response.writeHead(200).write('{')
})

it.each(['/silent', '/begun'])(
  'a request to %s is given up when its time is up, whatever Node collects',
  async (path) => {
    collectGarbage()
    const asked = { method: 'POST', headers: {}, body: '{}' }
    const within = { timeoutMs: 300, signal: new AbortController().signal }
    await expect(exchange(fetch, `${url}${path}`, asked, within)).rejects.toBeInstanceOf(TimeoutError)
  },
)

const call = { forOperators: false, hasBody: false }
const operators = { forOperators: true, hasBody: false }

describe('an API key', () => {
  it('is a bearer', () => {
    expect(createHeaders({ apiKey: 'svc_1' })(call)).toEqual({
      Accept: 'application/json',
      Authorization: 'Bearer svc_1',
    })
  })

  it('has a header of its own where Basic Auth takes the usual one', () => {
    const basicAuth = { user: 'ada', password: 'pässwörd' }
    expect(createHeaders({ apiKey: 'svc_1', basicAuth })(call)).toEqual({
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from('ada:pässwörd').toString('base64')}`,
      'X-API-Key': 'svc_1',
    })
  })
})

it('an admin secret goes to what manages keys alone, and the key not there', () => {
  const headersOf = createHeaders({ apiKey: 'svc_1', adminSecret: 'secret' })
  expect(JSON.stringify(headersOf(call))).not.toContain('secret')
  expect(headersOf(operators)).toEqual({ Accept: 'application/json', 'X-Service-Admin-Key': 'secret' })
})

it('refuses a user whose name would run into the password', () => {
  expect(() => createHeaders({ basicAuth: { user: 'a:b', password: 'hunter2' } })).toThrow(
    new TypeError('basicAuth.user cannot have a colon'),
  )
})

it('declares a body where there is one', () => {
  expect(createHeaders({})({ ...call, hasBody: true })).toEqual({
    Accept: 'application/json',
    'Content-Type': 'application/json',
  })
})

it.each(['svc_1\n', 'svc 1', '', 'sv\u010d_1'])('refuses the secret %j without repeating it', (secret) => {
  for (const name of ['apiKey', 'adminSecret']) {
    expect(() => createHeaders({ [name]: secret })).toThrow(
      new TypeError(`${name} must be visible ASCII characters without spaces or line breaks`),
    )
  }
})
