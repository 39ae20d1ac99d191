import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Wait } from '../call/Wait.ts'
import { RateLimitedError } from '../errors/access.ts'
import { RemitError } from '../errors/RemitError.ts'
import { NetworkError, UnexpectedAnswerError } from '../errors/transport.ts'
import { BlockNotSeenError, UnavailableError } from '../errors/upstream.ts'
import { createCaller, type RequestOptions } from './createCaller.ts'

const READY = { ready: true }
const NOW = Date.UTC(2026, 2, 6)

type Step = Response | Error | (() => Response)

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

const refuses = (status: number, code: string, headers: Record<string, string> = {}) =>
  says(status, { error: 'Not now.', code, requestId: 'r-1' }, headers)

/** A service that answers as written down, with a clock that only sleeping moves. */
function scripted(steps: readonly Step[], options: Partial<RequestOptions> = {}) {
  const left = [...steps]
  let nowMs = NOW
  const requests: { url: string; init: RequestInit }[] = []
  const slept: number[] = []
  const send: typeof fetch = async (url, init = {}) => {
    requests.push({ url: String(url), init })
    const step = left.shift()
    if (step === undefined) throw new Error('The script has ended')
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step() : step
  }
  const call = createCaller(
    { url: 'https://remit.example/api', fetch: send, ...options },
    {
      now: () => nowMs,
      random: () => 1,
      async sleep(ms, signal) {
        signal?.throwIfAborted()
        slept.push(ms)
        nowMs += ms
      },
    },
  )
  return { call, requests, slept }
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('It was to fail'),
    (error: unknown) => error,
  )

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

describe('a call that changes nothing', () => {
  it.each<[string, Step]>([
    ['the network fails', new TypeError('fetch failed')],
    ['a proxy finds no service', says(502, '<html>')],
    ['an upstream fails', refuses(502, 'UPSTREAM_ERROR')],
    ['an upstream is slow', refuses(504, 'UPSTREAM_TIMEOUT')],
    ['a proxy is overloaded', says(503, '<html>')],
    ['a proxy limits it', says(429, 'slow down')],
  ])('is tried again, later and later, where %s', async (_what, step) => {
    const { call, slept } = scripted([step, step, says(200, READY)])
    expect(await call('getReady')).toEqual(READY)
    expect(slept).toEqual([500, 1000])
  })

  it('fails as the last try did', async () => {
    const steps = [
      new TypeError('fetch failed'),
      refuses(502, 'UPSTREAM_ERROR'),
      refuses(504, 'UPSTREAM_TIMEOUT'),
    ]
    const { call, requests } = scripted(steps)
    expect(await failure(call('getReady'))).toMatchObject({ code: 'UPSTREAM_TIMEOUT' })
    expect(requests).toHaveLength(3)
  })

  it('is tried as often as it is asked for', async () => {
    const down = refuses(502, 'UPSTREAM_ERROR')
    const never = scripted([down], { retries: 0 })
    await failure(never.call('getReady'))
    expect(never.slept).toEqual([])
    const often = scripted(Array(7).fill(down))
    await failure(often.call('getReady', {}, { retries: 6 }))
    expect(often.slept).toEqual([500, 1000, 2000, 4000, 8000, 8000])
  })

  it.each([
    ['a prepare', 'prepareRemit'],
    ['a readiness', 'checkRemitReadiness'],
    ['a transaction’s status', 'getTransactionStatus'],
    ['a search', 'searchSubscriptions'],
    ['the revoking of a key, which can be done twice', 'revokeKey'],
  ])('is %s as well', async (_what, name) => {
    const { call, requests } = scripted([refuses(502, 'X'), refuses(502, 'X'), refuses(422, 'NOT_READY')])
    await failure(call(name, { from: '0x1', txHash: '0x2', id: 'k' }))
    expect(requests).toHaveLength(3)
  })

  it('is not the making of a key: a second one would be another key', async () => {
    for (const step of [
      new TypeError('fetch failed'),
      refuses(503, 'SHUTTING_DOWN', { 'Retry-After': '1' }),
    ]) {
      const { call, requests } = scripted([step])
      await failure(call('createKey', { subjectId: 'ada' }, { retries: 5 }))
      expect(requests).toHaveLength(1)
    }
  })

  it.each([400, 401, 403, 404, 409, 422, 500])('is not tried again after %i', async (status) => {
    const { call, requests } = scripted([refuses(status, 'X', { 'Retry-After': '1' })])
    await failure(call('getReady'))
    expect(requests).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  it.each([
    ['7', 7000],
    ['0', 0],
    [new Date(NOW + 9000).toUTCString(), 9000],
    [new Date(NOW - 9000).toUTCString(), 0],
  ])('%s is obeyed exactly', async (header, waitMs) => {
    for (const step of [
      refuses(429, 'RATE_LIMITED', { 'Retry-After': header }),
      refuses(503, 'SHUTTING_DOWN', { 'Retry-After': header }),
    ]) {
      const { call, slept } = scripted([step, says(200, READY)])
      expect(await call('getReady')).toEqual(READY)
      expect(slept).toEqual([waitMs])
    }
  })

  it('that is longer than a program may stand still is thrown at once', async () => {
    const { call, slept, requests } = scripted([refuses(429, 'RATE_LIMITED', { 'Retry-After': '61' })])
    const error = await failure(call('getReady'))
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error).toMatchObject({ retryAfterSeconds: 61, status: 429 })
    expect([slept, requests.length]).toEqual([[], 1])
  })

  it('may be longer where the program says so', async () => {
    const step = refuses(429, 'RATE_LIMITED', { 'Retry-After': '3600' })
    const { call, slept } = scripted([step, says(200, READY)], { maxRetryAfterSeconds: 3600 })
    await call('getReady')
    expect(slept).toEqual([3_600_000])
  })

  it('is read from the body where a browser hides the header', async () => {
    const body = { error: 'Wait.', code: 'RATE_LIMITED', requestId: 'r-1', retryAfterSeconds: 4 }
    const { call, slept } = scripted([says(429, body), says(200, READY)])
    await call('getReady')
    expect(slept).toEqual([4000])
  })

  it('is given by the service wherever its 503 will pass: without it, waiting is of no use', async () => {
    const { call, requests } = scripted([refuses(503, 'API_DISABLED')])
    expect(await failure(call('getReady'))).toBeInstanceOf(UnavailableError)
    expect(requests).toHaveLength(1)
  })
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

describe('a wait between two tries', () => {
  const limited = (seconds: string) => {
    const facts = { lane: 'free', bucket: 'writeRpm', limit: 2, retryAfterSeconds: Number(seconds) }
    const body = { error: 'Too many.', code: 'RATE_LIMITED', requestId: 'r-1', ...facts }
    return says(429, body, { 'Retry-After': seconds })
  }
  const unseen = says(
    503,
    { error: 'Not yet.', code: 'BLOCK_NOT_SEEN', requestId: 'r-1', minBlock: 12, headNumber: 10 },
    { 'Retry-After': '1' },
  )

  it('is told with what is waited for, and for how long', async () => {
    const told: Wait[] = []
    const steps = [limited('20'), unseen, new TypeError('fetch failed'), says(200, READY)]
    const { call } = scripted(steps, { retries: 3, onWait: (wait) => told.push(wait) })
    await call('getReady')
    expect(told).toEqual([
      { for: 'limit', forMs: 20_000, lane: 'free', bucket: 'writeRpm', limit: 2 },
      { for: 'block', forMs: 1_000, minBlock: 12 },
      { for: 'service', forMs: 2_000, message: 'https://remit.example could not be reached.' },
    ])
  })

  it('is told to the call’s own listener where it has one', async () => {
    const told: string[] = []
    const { call } = scripted([unseen, says(200, READY)], { onWait: () => told.push('client') })
    await call('getReady', {}, { onWait: () => told.push('call') })
    expect(told).toEqual(['call'])
  })

  it('is not begun where it would end after the call’s time', async () => {
    const { call, slept } = scripted([limited('20'), limited('20')], { retries: 9 })
    const error = await failure(call('getReady', {}, { withinMs: 30_000 }))
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(slept).toEqual([20_000])
  })

  it('for a limit of the day is not begun at all', async () => {
    const { call, slept } = scripted([limited('3600')], { retries: 9 })
    expect(await failure(call('getReady'))).toBeInstanceOf(RateLimitedError)
    expect(slept).toEqual([])
  })

  it('for a block goes on until the call’s time is up, however few retries there are', async () => {
    const { call, slept } = scripted(Array(9).fill(unseen), { retries: 1 })
    expect(await failure(call('getReady'))).toBeInstanceOf(BlockNotSeenError)
    expect(slept).toEqual([1_000])
    const patient = scripted([...Array(5).fill(unseen), says(200, READY)], { retries: 1 })
    expect(await patient.call('getReady', {}, { withinMs: 30_000 })).toEqual(READY)
  })
})
