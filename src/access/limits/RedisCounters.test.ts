import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { limitsModel } from '../../../test/support/models/limitsModel.ts'
import { redisIsInstalled, useRedis } from '../../../test/support/stores/useRedis.ts'
import { CountersAwayError, type Demand } from './counters.ts'
import { RedisCounters } from './RedisCounters.ts'
import { RedisLink } from './RedisLink.ts'

// Windows as short as a test can wait for: the script takes them from whoever asks.
const SHORT: Demand = { bucket: 'short', limit: 3, windowMs: 40 }
const SCARCE: Demand = { bucket: 'scarce', limit: 2, windowMs: 120 }
const BUSY: Demand = { bucket: 'busy', limit: 700, windowMs: 300 }
const DAILY: Demand = { bucket: 'daily', limit: 12, windowMs: 'day' }
const MINUTE = { bucket: 'minute', limit: 2, windowMs: 60_000 } satisfies Demand

const DAY = 86_400

describe.skipIf(!redisIsInstalled)('counters in Redis', () => {
  const server = useRedis()
  let redis: Redis
  let link: RedisLink
  let counters: RedisCounters

  beforeAll(async () => {
    redis = new Redis(server.url)
    link = new RedisLink(server.url)
    await link.connect()
    counters = new RedisCounters(link)
  })

  afterAll(() => {
    link.close()
    redis.disconnect()
  })

  const take = (identity: string, demand: Demand) => counters.take(identity, [demand], 'all-or-nothing')

  it('decide as a plain list of all admissions would, by the same clock readings', async () => {
    const step = fc.record({
      waitMs: fc.constantFrom(0, 0, 0, 1, 7, 25, 40),
      identity: fc.constantFrom('ada', 'bob'),
      demands: fc.constantFrom([SHORT], [SHORT, DAILY], [SHORT, DAILY, SCARCE], [DAILY]),
      together: fc.integer({ min: 1, max: 4 }),
      always: fc.integer({ min: 0, max: 9 }).map((tenth) => tenth === 0),
      giveBack: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await redis.flushall()
        const model = limitsModel()
        for (const { waitMs, identity, demands, together, always, giveBack } of steps) {
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
          const rule = always ? 'always' : 'all-or-nothing'
          const decisions = await Promise.all(
            Array.from({ length: together }, () => counters.take(identity, demands, rule)),
          )
          for (const { admitted, atMicros, usages } of decisions) {
            expect(admitted).toBe(model.take(identity, demands, rule, atMicros))
            expect(usages).toEqual(demands.map((demand) => model.usage(identity, demand, atMicros)))
          }
          const given = demands.filter((demand) => demand !== SHORT)
          if (!giveBack || given.length === 0) continue
          for (const decision of decisions) {
            if (!decision.admitted) continue
            await decision.giveBack(given)
            model.giveBack(identity, given, decision.atMicros)
          }
        }
      }),
      { numRuns: 25 },
    )
  }, 60_000)

  it('decide so too where a caller takes hundreds in a window, and give back any of them', async () => {
    const demands = [BUSY]
    const step = fc.record({
      waitMs: fc.constantFrom(0, 0, 40, 120, 300),
      requests: fc.integer({ min: 1, max: 400 }),
      always: fc.boolean(),
      givenBack: fc.array(fc.nat(399), { maxLength: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        await redis.flushall()
        const model = limitsModel()
        for (const { waitMs, requests, always, givenBack } of steps) {
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
          const rule = always ? 'always' : 'all-or-nothing'
          const decisions = await Promise.all(
            Array.from({ length: requests }, () => counters.take('ada', demands, rule)),
          )
          for (const { admitted, atMicros, usages } of decisions) {
            expect(admitted).toBe(model.take('ada', [BUSY], rule, atMicros))
            expect(usages).toEqual([model.usage('ada', BUSY, atMicros)])
          }
          for (const place of givenBack) {
            const decision = decisions[place]
            if (!decision?.admitted) continue
            await decision.giveBack([BUSY])
            model.giveBack('ada', [BUSY], decision.atMicros)
          }
        }
      }),
      { numRuns: 4 },
    )
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await redis.keys('*:busy')).toEqual([])
  }, 60_000)

  it('decide in one run of the script what arrives together, up to 256 requests, and each caller by itself', async () => {
    const demands = [BUSY]
    await redis.config('RESETSTAT')
    const of = (identity: string, requests: number) =>
      Array.from({ length: requests }, () => counters.take(identity, demands, 'all-or-nothing'))
    const decisions = await Promise.all([...of('many', 300), ...of('other', 2), ...of('many', 450)])
    const runs = /^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))?.[1]
    expect(Number(runs)).toBe(3 + 1)
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(BUSY.limit + 2)
    expect(decisions[0]?.usages).toEqual([{ used: 1, freesInMs: 300 }])
    // In the order in which they came.
    expect(decisions.slice(-50).some(({ admitted }) => admitted)).toBe(false)
  })

  it('name the exact wait, to the microsecond', async () => {
    const first = await take('wait', MINUTE)
    const second = await take('wait', MINUTE)
    const refused = await take('wait', MINUTE)
    expect(refused.admitted).toBe(false)
    const [usage] = refused.usages
    expect(usage).toEqual({
      used: 2,
      freesInMs: (first.atMicros + 60_000_000 - refused.atMicros) / 1000,
    })
    expect(second.usages).toEqual([
      { used: 2, freesInMs: (first.atMicros + 60_000_000 - second.atMicros) / 1000 },
    ])
  })

  it('after a limit was lowered, wait until enough admissions have expired', async () => {
    await take('lowered', MINUTE)
    const second = await take('lowered', MINUTE)
    const refused = await take('lowered', { ...MINUTE, limit: 1 })
    const freesInMs = (second.atMicros + 60_000_000 - refused.atMicros) / 1000
    expect(refused).toMatchObject({ admitted: false, usages: [{ used: 2, freesInMs }] })
  })

  it('give back exactly one admission', async () => {
    await take('given', MINUTE)
    const second = await take('given', MINUTE)
    await second.giveBack([MINUTE])
    expect((await take('given', MINUTE)).admitted).toBe(true)
    expect((await take('given', MINUTE)).admitted).toBe(false)
  })

  /** What a day's field holds: the UTC day and the count in one number. */
  const counted = (day: number, count: number) => {
    const value = Buffer.alloc(8)
    value.writeDoubleBE(day * 10 ** 10 + count)
    return value
  }
  const today = async () => Math.floor(Number((await redis.time())[0]) / DAY)

  it('begin a new UTC day at 0, and give no units of the day before back to it', async () => {
    const yesterday = (await today()) - 1
    await redis.hset('remit:{day}', 'daily', counted(yesterday, DAILY.limit))
    const taken = await take('day', DAILY)
    expect(taken).toMatchObject({ admitted: true, usages: [{ used: 1 }] })
    await redis.hset('remit:{day}', 'daily', counted(yesterday, 5))
    await taken.giveBack([DAILY])
    expect(await redis.hgetBuffer('remit:{day}', 'daily')).toEqual(counted(yesterday, 5))
  })

  it('keep the later day where the clock is set back over midnight', async () => {
    await redis.hset('remit:{back}', 'daily', counted((await today()) + 1, DAILY.limit))
    expect((await take('back', DAILY)).admitted).toBe(false)
  })

  it('delete the counts of an identity soon after its day', async () => {
    await redis.flushall()
    const afterMidnight = ((await today()) + 1) * DAY + 3600
    await counters.take('gone', [MINUTE, DAILY], 'all-or-nothing')
    expect(await redis.keys('*')).toEqual(['remit:{gone}'])
    expect(await redis.expiretime('remit:{gone}')).toBe(afterMidnight)
    // What came with an earlier day's expiry is kept as long as anything else.
    const yesterday = Buffer.alloc(8)
    yesterday.writeDoubleBE(((await today()) * DAY - 1) * 1_000_000)
    // Whether or not it counts still.
    for (const windowMs of [MINUTE.windowMs, 2 * DAY * 1000]) {
      await redis.hset('remit:{gone}', 'minute', yesterday)
      await redis.expire('remit:{gone}', 60)
      const { admitted } = await take('gone', { ...MINUTE, windowMs })
      expect(admitted).toBe(true)
      expect(await redis.expiretime('remit:{gone}')).toBe(afterMidnight)
    }
  })

  it('send the script again where Redis does not know it', async () => {
    await redis.script('FLUSH')
    const decisions = await Promise.all(Array.from({ length: 20 }, () => take('flushed', MINUTE)))
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(2)
  })

  it('remember a spent bucket until just before it has a unit again', async () => {
    const bucket: Demand = { bucket: 'remembered', limit: 1, windowMs: 400 }
    expect(counters.spent('ada', bucket)).toBeUndefined()
    const sentAt = performance.now()
    await take('ada', bucket)
    expect(counters.spent('ada', bucket)?.freesInMs).toBeGreaterThan(400)
    let lastKnown = sentAt
    for (let at = sentAt; counters.spent('ada', bucket) !== undefined; at = performance.now()) {
      lastKnown = at
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(lastKnown - sentAt).toBeLessThan(400)
  })

  it('connect anew where the server takes no writes any more, so that they find the one that does', async () => {
    const connections = async () =>
      [...String(await redis.call('CLIENT', 'LIST')).matchAll(/^id=(\d+)/gm)].map(([, id]) => id)
    const before = new Set(await connections())
    const another = new RedisLink(server.url)
    await another.connect()
    onTestFinished(() => another.close())
    const own = (await connections()).filter((id) => !before.has(id))
    const written = () => new RedisCounters(another).take('failover', [MINUTE], 'always')
    await written()
    await redis.call('REPLICAOF', '127.0.0.1', '9')
    await expect(written()).rejects.toThrow('READONLY')
    await expect.poll(async () => (await connections()).some((id) => own.includes(id))).toBe(false)
    await redis.call('REPLICAOF', 'NO', 'ONE')
    await expect
      .poll(() =>
        written().then(
          ({ admitted }) => admitted,
          () => false,
        ),
      )
      .toBe(true)
  })

  it('fail at once without a connection, and do not name the address', async () => {
    const nowhere = new RedisLink('redis://:pass-word@127.0.0.1:9/0')
    await expect(nowhere.connect()).rejects.toThrow(/^The shared counters are away: ECONNREFUSED$/)
    const begun = performance.now()
    await expect(new RedisCounters(nowhere).take('ada', [MINUTE], 'all-or-nothing')).rejects.toThrow('away')
    // Sooner than Redis may take to answer.
    expect(performance.now() - begun).toBeLessThan(400)
    nowhere.close()
  })
})

/** Lets the event loop turn. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('counters in a Redis that takes its time', () => {
  it('decide in the next run what arrives while one is on its way, also after it failed', async () => {
    const runs: { readonly requests: number; answer(): void; fail(): void }[] = []
    const counters = new RedisCounters({
      run: (_script, _key, [, , requests = 0]) =>
        new Promise((resolve, reject) => {
          const answer = Buffer.alloc(8 * (1 + 3 * Number(requests)))
          runs.push({
            requests: Number(requests),
            answer: () => resolve(answer),
            fail: () => reject(new CountersAwayError('of this test')),
          })
        }),
    })
    const demands = [SHORT]
    const ask = (identity = 'ada') => counters.take(identity, demands, 'all-or-nothing')
    const requests = () => runs.map((run) => run.requests)
    const first = ask()
    await vi.waitFor(() => expect(requests()).toEqual([1]), 10_000)
    const second = [ask(), ask()]
    await severalTurns()
    second.push(ask())
    const other = ask('bob')
    await vi.waitFor(() => expect(requests()).toEqual([1, 1]), 10_000)
    runs[1]?.answer()
    await other
    await severalTurns()
    expect(requests()).toEqual([1, 1])
    // The next run is on its way before those of the one before go on.
    const sentOnce = first.catch((error: unknown) => ({ error, requests: requests() }))
    runs[0]?.fail()
    expect(await sentOnce).toEqual({ error: expect.any(CountersAwayError), requests: [1, 1, 3] })
    runs[2]?.answer()
    await Promise.all(second)
    const third = ask()
    await vi.waitFor(() => expect(requests()).toEqual([1, 1, 3, 1]), 10_000)
    runs[3]?.answer()
    await third
  })
})
