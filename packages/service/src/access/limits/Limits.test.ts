import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { describe, expect, it } from 'vitest'
import { RequestTrace } from '../../calls/RequestTrace.ts'
import { LimiterUnavailableError, RateLimitedError } from '../../errors/access.ts'
import type { Identity } from '../../ports/access.ts'
import type { LimiterDecision } from '../../ports/telemetry.ts'
import type { Counters } from './counters.ts'
import { Limits } from './Limits.ts'
import { MemoryCounters } from './MemoryCounters.ts'

const ADA: Identity = { lane: 'free', id: '192.0.2.1' }
const KEY: Identity = { lane: 'developer', id: '192.0.2.1' }

/** 23:50 UTC: ten minutes before the day ends. */
const START = Date.UTC(2024, 4, 17, 23, 50)

function limiting(
  options: {
    portalUrl?: string
    developerKeysEnabled?: boolean
    asksBasicAuth?: boolean
    counters?: Counters
  } = {},
) {
  const clock = { now: START }
  const told: Omit<LimiterDecision, 'durationMs'>[] = []
  const limits = new Limits({
    lanes: DEFAULT_LIMITS,
    authFailuresRpm: 3,
    counters: options.counters ?? new MemoryCounters({ now: () => clock.now }),
    portalUrl: () => options.portalUrl,
    newKeysDaily: 5,
    challengesDaily: 20,
    developerKeysEnabled: options.developerKeysEnabled ?? true,
    asksBasicAuth: options.asksBasicAuth ?? false,
    observer: {
      limiterDecided({ durationMs, ...decision }) {
        expect(durationMs).toBeGreaterThanOrEqual(0)
        told.push(decision)
      },
    },
  })
  return { clock, limits, told }
}

async function refusal(work: () => unknown): Promise<RateLimitedError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof RateLimitedError) return error
  }
  throw new Error('It was not refused by a limit')
}

describe('limits', () => {
  it('tell a caller which limit, for how long and what to do', async () => {
    const { clock, limits } = limiting({ portalUrl: 'https://keys.example' })
    await limits.take(ADA, 'metered', ['write'])
    clock.now += 18_500
    await limits.take(ADA, 'metered', ['write'])
    const error = await refusal(() => limits.take(ADA, 'metered', ['write']))
    expect(error.message).toBe(
      'The limit writeRpm of the free lane is reached (2): wait 42 s and send it again.',
    )
    expect(error.headers).toEqual({ 'Retry-After': '42' })
    expect(error.facts).toEqual({
      lane: 'free',
      bucket: 'writeRpm',
      limit: 2,
      retryAfterSeconds: 42,
      upgradeHint:
        'A developer key has higher limits and is free: get one at https://keys.example and send it as Authorization: Bearer <API_KEY>.',
    })
  })

  it('name no higher lane where there is none', async () => {
    const { limits } = limiting()
    for (let taken = 0; taken < 5; taken += 1) await limits.take(KEY, 'metered', ['write'])
    const developer = await refusal(() => limits.take(KEY, 'metered', ['write']))
    expect(developer.facts).toMatchObject({ lane: 'developer', limit: 5, upgradeHint: null })

    const without = limiting({ developerKeysEnabled: false }).limits
    for (let taken = 0; taken < 2; taken += 1) await without.take(ADA, 'metered', ['write'])
    expect((await refusal(() => without.take(ADA, 'metered', ['write']))).facts.upgradeHint).toBeNull()
  })

  it('name the longest wait where several limits refuse, and admit after it', async () => {
    const { clock, limits } = limiting()
    for (let taken = 0; taken < 18; taken += 1) await limits.take(ADA, 'message', [])
    clock.now += 30_000
    for (let taken = 0; taken < 2; taken += 1) await limits.take(ADA, 'metered', ['write'])
    clock.now += 10_000
    expect((await refusal(() => limits.take(ADA, 'message', []))).facts).toMatchObject({
      bucket: 'globalRpm',
      retryAfterSeconds: 20,
    })
    expect((await refusal(() => limits.take(ADA, 'metered', ['write']))).facts).toMatchObject({
      bucket: 'writeRpm',
      retryAfterSeconds: 50,
    })
    clock.now += 50_000
    await limits.take(ADA, 'metered', ['write'])
  })

  it('wait for midnight UTC where the day is spent', async () => {
    const { clock, limits } = limiting()
    clock.now = Date.UTC(2024, 4, 17, 1)
    for (let taken = 0; taken < 20; taken += 1) {
      await limits.take(ADA, 'metered', ['write'])
      clock.now += 60_000
    }
    const { facts } = await refusal(() => limits.take(ADA, 'metered', ['write']))
    expect(facts).toMatchObject({ bucket: 'writeDaily', limit: 20, retryAfterSeconds: (22 * 60 + 40) * 60 })
    clock.now += (22 * 60 + 40) * 60_000 - 1
    await refusal(() => limits.take(ADA, 'metered', ['write']))
    clock.now += 1
    await limits.take(ADA, 'metered', ['write'])
  })

  it('take nothing at all where one of the limits is reached', async () => {
    const { limits } = limiting()
    for (let taken = 0; taken < 2; taken += 1) await limits.take(ADA, 'metered', ['write'])
    for (let refused = 0; refused < 50; refused += 1) {
      await refusal(() => limits.take(ADA, 'metered', ['write', 'expensive']))
    }
    const { quotas } = await limits.take(ADA, 'metered', ['expensive'])
    expect(quotas.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['globalRpm', 17],
      ['dailyTotalRequests', 497],
      ['expensiveRpm', 2],
      ['subgraphDaily', 99],
    ])
  })

  it('state the usage of each limit that was taken from', async () => {
    const { clock, limits } = limiting()
    await limits.take(ADA, 'metered', [])
    clock.now += 19_000
    const { quotas } = await limits.take(ADA, 'metered', ['write'])
    expect(quotas).toEqual([
      { name: 'globalRpm', limit: 20, windowSeconds: 60, remaining: 18, resetSeconds: 41 },
      { name: 'dailyTotalRequests', limit: 500, windowSeconds: 86_400, remaining: 498, resetSeconds: 581 },
      { name: 'writeRpm', limit: 2, windowSeconds: 60, remaining: 1, resetSeconds: 60 },
      { name: 'writeDaily', limit: 20, windowSeconds: 86_400, remaining: 19, resetSeconds: 581 },
    ])
  })

  it('give back only the units of the buckets, and only those of that request', async () => {
    const { limits } = limiting()
    const charge = await limits.take(ADA, 'metered', ['write', 'expensive'])
    await limits.take(ADA, 'metered', ['write'])
    await charge.giveBack()
    const { quotas } = await limits.take(ADA, 'metered', ['write', 'expensive'])
    expect(Object.fromEntries(quotas.map(({ name, limit, remaining }) => [name, limit - remaining]))).toEqual(
      {
        globalRpm: 3,
        dailyTotalRequests: 3,
        writeRpm: 2,
        writeDaily: 2,
        expensiveRpm: 1,
        subgraphDaily: 1,
      },
    )
  })

  it('count the status in the day’s total and never refuse it', async () => {
    const { limits } = limiting()
    for (let taken = 0; taken < 600; taken += 1) await limits.take(ADA, 'counted', [])
    const { quotas } = await limits.take(ADA, 'counted', [])
    expect(quotas).toMatchObject([{ name: 'dailyTotalRequests', limit: 500, remaining: 0 }])
    const { facts } = await refusal(() => limits.take(ADA, 'metered', []))
    expect(facts.bucket).toBe('dailyTotalRequests')
  })

  it('check the minute’s total without taking a unit', async () => {
    const { clock, limits } = limiting()
    for (let looked = 0; looked < 50; looked += 1) limits.admit(ADA)
    for (let taken = 0; taken < 20; taken += 1) await limits.take(ADA, 'message', [])
    const { facts } = await refusal(() => limits.admit(ADA))
    expect(facts).toMatchObject({ bucket: 'globalRpm', limit: 20, retryAfterSeconds: 60 })
    clock.now += 60_000
    limits.admit(ADA)
  })

  it('keep callers and lanes apart', async () => {
    const { limits } = limiting()
    for (let taken = 0; taken < 20; taken += 1) await limits.take(ADA, 'message', [])
    await refusal(() => limits.take(ADA, 'message', []))
    await limits.take({ ...ADA, id: '192.0.2.2' }, 'message', [])
    await limits.take(KEY, 'message', [])
  })

  it('bound failed credentials by address, apart from everything else', async () => {
    const { clock, limits } = limiting()
    for (let failed = 0; failed < 3; failed += 1) {
      limits.admitCredentials(ADA.id)
      await limits.takeAuthFailure(ADA.id)
    }
    const { facts } = await refusal(() => limits.takeAuthFailure(ADA.id))
    expect(facts).toEqual({
      lane: 'free',
      bucket: 'authFailures',
      limit: 3,
      retryAfterSeconds: 60,
      upgradeHint: null,
    })
    expect((await refusal(() => limits.admitCredentials(ADA.id))).facts).toEqual(facts)
    await limits.take(ADA, 'metered', ['write'])
    clock.now += 60_000
    limits.admitCredentials(ADA.id)
    await limits.takeAuthFailure(ADA.id)
  })

  it('bound the keys that an address makes in a day, and take back one that was not made', async () => {
    const { clock, limits } = limiting()
    const made = []
    for (let key = 0; key < 5; key += 1) made.push(await limits.takeNewKey('192.0.2.1'))
    expect(made.at(-1)?.quotas).toEqual([
      { name: 'newKeysDaily', limit: 5, windowSeconds: 86_400, remaining: 0, resetSeconds: 600 },
    ])
    expect((await refusal(() => limits.takeNewKey('192.0.2.1'))).facts).toEqual({
      lane: 'developer',
      bucket: 'newKeysDaily',
      limit: 5,
      retryAfterSeconds: 600,
      upgradeHint: null,
    })
    await limits.takeNewKey('192.0.2.2')
    await made[0]?.giveBack()
    await limits.takeNewKey('192.0.2.1')
    await refusal(() => limits.takeNewKey('192.0.2.1'))
    clock.now += 600_000
    await limits.takeNewKey('192.0.2.1')
  })

  it('hold for an account and for the one that it is within, and take of neither where one refuses', async () => {
    const { limits } = limiting()
    const globalRpm = DEFAULT_LIMITS.developer.globalRpm
    const session = (id: string, within: string) => ({ lane: 'developer', id, within }) as const
    for (let taken = 0; taken < globalRpm - 1; taken += 1)
      await limits.take(session('ada', 'home'), 'metered', [])
    const { quotas } = await limits.take(session('bob', 'home'), 'metered', ['write'])
    expect(quotas.map(({ name, remaining }) => [name, remaining]).slice(0, 3)).toEqual([
      ['globalRpm', 0],
      ['dailyTotalRequests', DEFAULT_LIMITS.developer.dailyTotalRequests - globalRpm],
      ['writeRpm', DEFAULT_LIMITS.developer.writeRpm - 1],
    ])
    await refusal(() => limits.take(session('bob', 'home'), 'metered', []))
    expect((await refusal(() => limits.admit(session('bob', 'home')))).facts.bucket).toBe('globalRpm')
    // One unit is left to ada, wherever she is.
    await limits.take(session('ada', 'away'), 'metered', [])
    for (let refused = 0; refused < 5; refused += 1) {
      await refusal(() => limits.take(session('ada', 'away'), 'metered', []))
    }
    const other = await limits.take(session('bob', 'away'), 'metered', [])
    expect(other.quotas[0]).toMatchObject({ name: 'globalRpm', remaining: globalRpm - 2 })
  })

  it('bound the challenges of a subject and of an address, and take of neither where one refuses', async () => {
    const { clock, limits } = limiting()
    const caller = (subject: string, address: string) =>
      ({ lane: 'developer', id: `session:${subject}`, subject, address }) as const
    for (let sent = 0; sent < 20; sent += 1)
      await limits.takeChallenge(caller('ada', sent < 19 ? 'home' : 'away'))
    const spent = () => limits.takeChallenge(caller('ada', 'far'))
    expect((await refusal(spent)).facts).toMatchObject({ bucket: 'challengesDaily', limit: 20 })
    await limits.takeChallenge(caller('bob', 'home'))
    await refusal(() => limits.takeChallenge(caller('bob', 'home')))
    for (let sent = 0; sent < 19; sent += 1) await limits.takeChallenge(caller('bob', 'far'))
    await refusal(() => limits.takeChallenge(caller('bob', 'far')))
    clock.now += 600_000
    await limits.takeChallenge(caller('ada', 'home'))
  })

  it('tell the state of every limit of a key, and take nothing for that', async () => {
    const { limits } = limiting()
    for (let taken = 0; taken < 2; taken += 1) await limits.take(KEY, 'metered', ['write'])
    await limits.take(ADA, 'metered', ['write'])
    await limits.usageOf(KEY.id)
    const usage = await limits.usageOf(KEY.id)
    expect(usage.map(({ name, limit }) => [name, limit])).toEqual(Object.entries(DEFAULT_LIMITS.developer))
    const taken = usage.filter(({ limit, remaining }) => remaining < limit)
    expect(taken.map(({ name, limit, remaining }) => [name, limit - remaining])).toEqual(
      expect.arrayContaining([
        ['globalRpm', 2],
        ['writeRpm', 2],
        ['writeDaily', 2],
      ]),
    )
    expect(usage.find(({ name }) => name === 'subgraphDaily')?.remaining).toBe(
      DEFAULT_LIMITS.developer.subgraphDaily,
    )
  })

  it.each([
    ['Authorization: Bearer <API_KEY>', false],
    // Basic Auth has the other header.
    ['X-API-Key: <API_KEY>', true],
  ])(
    'send a caller to the operator where nobody knows who gives keys, to be sent as %s',
    async (header, asksBasicAuth) => {
      const { limits } = limiting({ asksBasicAuth })
      for (let taken = 0; taken < 2; taken += 1) await limits.take(ADA, 'metered', ['write'])
      expect((await refusal(() => limits.take(ADA, 'metered', ['write']))).facts.upgradeHint).toBe(
        `A developer key has higher limits and is free: get one from the operator of this service and send it as ${header}.`,
      )
    },
  )

  it('answer LIMITER_UNAVAILABLE while the counters are away, but never refuse a request that is only counted', async () => {
    const away: Counters = {
      take: () => Promise.reject(new LimiterUnavailableError()),
      spent: () => undefined,
    }
    const { limits, told } = limiting({ counters: away })
    await expect(limits.take(ADA, 'metered', [])).rejects.toThrow(LimiterUnavailableError)
    await expect(limits.takeAuthFailure(ADA.id)).rejects.toThrow(LimiterUnavailableError)
    expect((await limits.take(ADA, 'counted', [])).quotas).toEqual([])
    const failed = { lane: 'free', outcome: 'failed', buckets: [] }
    expect(told).toEqual([failed, failed, { lane: 'free', outcome: 'admitted', buckets: [] }])
  })

  it('tell the observer and the request what was taken, and what was given back', async () => {
    const { limits, told } = limiting()
    const trace = new RequestTrace()
    await trace.run(async () => {
      limits.admit(ADA)
      const { giveBack } = await limits.take(ADA, 'metered', ['write'])
      await giveBack()
    })
    const charged = ['globalRpm', 'dailyTotalRequests', 'writeRpm', 'writeDaily']
    expect(told).toEqual([
      { lane: 'free', outcome: 'admitted', buckets: charged },
      { lane: 'free', outcome: 'given back', buckets: [] },
    ])
    expect(trace.ended()).toMatchObject({ charged, givenBack: true })
  })

  it('tell the observer which bucket refused, before a request is looked at and after', async () => {
    const { limits, told } = limiting()
    const trace = new RequestTrace()
    await trace.run(async () => {
      for (let failed = 0; failed < 3; failed += 1) await limits.takeAuthFailure(ADA.id)
      await refusal(() => limits.takeAuthFailure(ADA.id))
      await refusal(() => limits.admitCredentials(ADA.id))
      for (let taken = 0; taken < DEFAULT_LIMITS.developer.globalRpm; taken += 1) {
        await limits.take(KEY, 'message', [])
      }
      await refusal(() => limits.take(KEY, 'message', []))
      await refusal(() => limits.admit(KEY))
    })
    const refused = (lane: string, bucket: string) => ({ lane, outcome: 'refused', buckets: [bucket] })
    expect(told.filter(({ outcome }) => outcome === 'refused')).toEqual([
      refused('free', 'authFailures'),
      refused('free', 'authFailures'),
      refused('developer', 'globalRpm'),
      refused('developer', 'globalRpm'),
    ])
    expect(told[0]).toEqual({ lane: 'free', outcome: 'admitted', buckets: ['authFailures'] })
    // Failed credentials are no cost of the request.
    expect(new Set(trace.ended().charged)).toEqual(new Set(['globalRpm']))
  })
})
