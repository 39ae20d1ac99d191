import {
  failure,
  NOW,
  READY,
  refuses,
  type Step,
  says,
  scripted,
} from '@remit/testing/support/service/scriptedFetch'
import { describe, expect, it } from 'vitest'
import type { Wait } from '../call/CallOptions.ts'
import { BlockNotSeenError, RateLimitedError, UnavailableError } from '../errors/RemitError.ts'

describe('a call that changes nothing', () => {
  it.each<[string, Step]>([
    ['the network fails', new TypeError('fetch failed')],
    ['a proxy finds no service', says(502, '<html>')],
    ['an upstream fails', refuses(502, 'UPSTREAM_ERROR')],
    ['an upstream is slow', refuses(504, 'UPSTREAM_TIMEOUT')],
    ['a proxy is overloaded', says(503, '<html>')],
    ['a proxy limits it', says(429, 'slow down')],
    ['it did not arrive in time', refuses(408, 'REQUEST_TIMEOUT')],
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
