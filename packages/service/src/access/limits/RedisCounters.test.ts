import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { limitsModel } from '@remit/testing/support/models/limitsModel'
import { redisIsInstalled, useRedis } from '@remit/testing/support/stores/useRedis'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Demand } from './counters.ts'
import { RedisCounters } from './RedisCounters.ts'

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
  let counters: RedisCounters

  beforeAll(async () => {
    redis = new Redis(server.url)
    counters = new RedisCounters(server.url)
    await counters.connect()
  })

  afterAll(() => {
    counters.close()
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
    const another = new RedisCounters(server.url)
    await another.connect()
    onTestFinished(() => another.close())
    const own = (await connections()).filter((id) => !before.has(id))
    const written = () => another.take('failover', [MINUTE], 'always')
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

  it('connect anew where nothing is said on a connection, as behind a balancer that has lost its server', async () => {
    const { hostname, port } = new URL(server.url)
    let connections = 0
    const balancer = createServer((socket) => {
      connections += 1
      socket.on('error', () => {})
      if (connections === 1) return
      const behind = connect(Number(port), hostname)
      behind.on('error', () => socket.destroy())
      socket.pipe(behind).pipe(socket)
    })
    balancer.listen(0, '127.0.0.1')
    await once(balancer, 'listening')
    const address = balancer.address()
    if (address === null || typeof address === 'string') throw new Error('it has no port')
    const patient = new RedisCounters(`redis://127.0.0.1:${address.port}`)
    onTestFinished(() => {
      patient.close()
      balancer.close()
    })
    await expect(patient.connect()).rejects.toThrow('away')
    const admitted = () =>
      patient.take('patient', [MINUTE], 'always').then(
        (decision) => decision.admitted,
        () => false,
      )
    await expect.poll(admitted, { timeout: 10_000 }).toBe(true)
  })

  it('fail at once without a connection, and do not name the address', async () => {
    const nowhere = new RedisCounters('redis://:pass-word@127.0.0.1:9/0')
    await expect(nowhere.connect()).rejects.toThrow(/^The shared counters are away: ECONNREFUSED$/)
    const begun = performance.now()
    await expect(nowhere.take('ada', [MINUTE], 'all-or-nothing')).rejects.toThrow('away')
    // Sooner than Redis may take to answer.
    expect(performance.now() - begun).toBeLessThan(400)
    nowhere.close()
  })

  it('say what a Redis wants that lets nobody in', async () => {
    await redis.config('SET', 'requirepass', 'secret')
    onTestFinished(async () => {
      await redis.config('SET', 'requirepass', '')
    })
    const stranger = new RedisCounters(server.url)
    await expect(stranger.connect()).rejects.toThrow(/^The shared counters are away: NOAUTH$/)
    stranger.close()
  })
})
