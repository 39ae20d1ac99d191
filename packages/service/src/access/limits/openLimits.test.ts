import { redisIsInstalled, useRedis } from '@remit/testing/support/stores/useRedis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CountersAwayError, type Demand } from './counters.ts'
import { RedisFullness } from './openLimits.ts'
import { RedisCounters } from './RedisCounters.ts'

const PREPARE: readonly Demand[] = [
  { bucket: 'globalRpm', limit: 20, windowMs: 60_000 },
  { bucket: 'dailyTotalRequests', limit: 500, windowMs: 'day' },
  { bucket: 'writeRpm', limit: 2, windowMs: 60_000 },
  { bucket: 'writeDaily', limit: 20, windowMs: 'day' },
]
const AT_ONCE = 100

describe.skipIf(!redisIsInstalled)('a Redis that has little room', () => {
  const server = useRedis({ flags: ['--maxmemory', '4mb', '--maxmemory-policy', 'noeviction'] })
  const logged: { message: string; facts: unknown }[] = []
  const write = (message: string, facts?: unknown) => void logged.push({ message, facts })
  let redis: Redis
  let counters: RedisCounters
  let fullness: RedisFullness

  beforeAll(async () => {
    redis = new Redis(server.url)
    counters = new RedisCounters(server.url)
    await counters.connect()
    fullness = new RedisFullness({ counters, log: { info: write, warn: write, error: write } })
  })

  afterAll(() => {
    fullness.close()
    counters.close()
    redis.disconnect()
  })

  /** A hundred callers that were never here. */
  const newCallers = (round: number, demands = PREPARE) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, (_, place) =>
        counters.take(`free:198.51.${round}.${place}`, demands, 'all-or-nothing'),
      ),
    )

  it('is told of, once, before it is full; it refuses by name then, and has room again where it is given some', async () => {
    let refusal: unknown
    let toldAtRound: number | undefined
    let round = 0
    for (; refusal === undefined && round < 1_000; round += 1) {
      await newCallers(round).catch((error: unknown) => {
        refusal = error
      })
      await fullness.look()
      if (logged.length > 0) toldAtRound ??= round
    }
    expect(refusal).toMatchObject({ name: CountersAwayError.name, reason: 'OOM' })
    expect(toldAtRound).toBeLessThan(round - 1)
    expect(logged).toEqual([
      {
        message: 'The Redis of the counters is almost full: raise its maxmemory',
        facts: { usedBytes: expect.any(Number), maxBytes: 4 * 1024 * 1024 },
      },
    ])
    expect(fullness.ratio()).toBeGreaterThanOrEqual(0.8)

    await redis.config('SET', 'maxmemory', '64mb')
    await fullness.look()
    expect(logged.at(-1)?.message).toBe('The Redis of the counters has room again')
    const [decision] = await newCallers(1_000)
    expect(decision?.admitted).toBe(true)
  })

  it('takes no more memory per caller than compose.yaml allows for', async () => {
    await redis.config('SET', 'maxmemory', '0')
    await redis.flushall()
    const usedBytes = async () => (await counters.memory()).usedBytes
    const before = await usedBytes()
    const callers = 50 * AT_ONCE
    for (let round = 0; round < 50; round += 1) {
      // As much as the free lane has in a minute.
      for (let time = 0; time < 20; time += 1) await newCallers(round, PREPARE.slice(0, 2))
    }
    const perCaller = ((await usedBytes()) - before) / callers
    expect(perCaller).toBeLessThan(600)
    await fullness.look()
    expect(fullness.ratio()).toBeUndefined()
  })
})
