import { afterEach, describe, expect, it, vi } from 'vitest'
import { failure, READY, refuses, says, scripted } from '../../../test/support/service/scriptedFetch.ts'
import { RemitError } from '../errors/RemitError.ts'
import { NetworkError, UnexpectedAnswerError } from '../errors/transport.ts'
import { createCaller } from './createCaller.ts'

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
