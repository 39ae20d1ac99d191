import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { limitsModel } from '@remit/testing/support/models/limitsModel'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Decision, Demand } from './counters.ts'
import { MemoryCounters } from './MemoryCounters.ts'

const MINUTE: Demand = { bucket: 'minute', limit: 3, windowMs: 60_000 }
const SCARCE: Demand = { bucket: 'scarce', limit: 1, windowMs: 60_000 }
const DAILY: Demand = { bucket: 'daily', limit: 4, windowMs: 'day' }

/** 2024-05-17T23:58:00Z: a midnight is near. */
const START = Date.UTC(2024, 4, 17, 23, 58)

function counting(maxIdentities?: number) {
  const clock = { now: START }
  const now = () => clock.now
  const counters = new MemoryCounters(maxIdentities === undefined ? { now } : { now, maxIdentities })
  return { clock, counters }
}

describe('counters in memory', () => {
  it('decide as a plain list of all admissions would, give-backs and midnights included', async () => {
    const step = fc.record({
      waitMs: fc.oneof(fc.nat(100), fc.nat(40_000), fc.constantFrom(59_999, 60_000, 60_001)),
      identity: fc.constantFrom('ada', 'bob'),
      demands: fc.constantFrom([MINUTE], [MINUTE, DAILY], [MINUTE, DAILY, SCARCE], [DAILY]),
      always: fc.integer({ min: 0, max: 9 }).map((tenth) => tenth === 0),
      giveBack: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, counters } = counting()
        const model = limitsModel()
        for (const { waitMs, identity, demands, always, giveBack } of steps) {
          clock.now += waitMs
          const rule = always ? 'always' : 'all-or-nothing'
          const decision = await counters.take(identity, demands, rule)
          expect(decision.atMicros).toBe(clock.now * 1000)
          expect(decision.admitted).toBe(model.take(identity, demands, rule, decision.atMicros))
          expect(decision.usages).toEqual(
            demands.map((demand) => model.usage(identity, demand, decision.atMicros)),
          )
          if (giveBack && decision.admitted) {
            await decision.giveBack([SCARCE, DAILY].filter((demand) => demands.includes(demand)))
            model.giveBack(identity, demands.includes(SCARCE) ? [SCARCE] : [], decision.atMicros)
            model.giveBack(identity, demands.includes(DAILY) ? [DAILY] : [], decision.atMicros)
          }
          for (const demand of demands) {
            const spent = model.usage(identity, demand, decision.atMicros).used >= demand.limit
            expect(counters.spent(identity, demand) !== undefined).toBe(spent)
          }
        }
      }),
    )
  })

  it('tell of a bucket whose admissions have all expired that nothing frees it', async () => {
    const { clock, counters } = counting()
    await counters.take('ada', [MINUTE], 'all-or-nothing')
    clock.now += 60_000
    const { usages } = await counters.take('ada', [MINUTE], 'never')
    expect(usages).toEqual([{ used: 0, freesInMs: 0 }])
  })

  it('count the first admission of a day too where it is never refused', async () => {
    const { clock, counters } = counting()
    await counters.take('ada', [DAILY], 'always')
    clock.now += 120_000
    const { usages } = await counters.take('ada', [DAILY], 'always')
    expect(usages).toMatchObject([{ used: 1 }])
  })

  it('give a day no more back than it took', async () => {
    const { counters } = counting()
    const once: Demand = { ...DAILY, limit: 1 }
    const { giveBack } = await counters.take('ada', [once], 'all-or-nothing')
    await giveBack([once])
    await giveBack([once])
    const taken = [
      await counters.take('ada', [once], 'all-or-nothing'),
      await counters.take('ada', [once], 'all-or-nothing'),
    ]
    expect(taken.map(({ admitted }) => admitted)).toEqual([true, false])
  })

  it('name the exact wait: refused just before it, admitted after it', async () => {
    const { clock, counters } = counting()
    for (const waitMs of [0, 7, 1_300]) {
      clock.now += waitMs
      await counters.take('ada', [MINUTE], 'all-or-nothing')
    }
    clock.now += 20_000
    const refused = await counters.take('ada', [MINUTE], 'all-or-nothing')
    expect(refused).toMatchObject({ admitted: false, usages: [{ used: 3, freesInMs: 38_693 }] })
    clock.now += 38_692
    expect((await counters.take('ada', [MINUTE], 'all-or-nothing')).admitted).toBe(false)
    clock.now += 1
    expect((await counters.take('ada', [MINUTE], 'all-or-nothing')).admitted).toBe(true)
  })

  it('after a limit was lowered, wait until enough admissions have expired', async () => {
    const { clock, counters } = counting()
    for (let taken = 0; taken < 3; taken += 1) {
      await counters.take('ada', [MINUTE], 'all-or-nothing')
      clock.now += 1_000
    }
    const lowered = { ...MINUTE, limit: 1 }
    const { usages } = await counters.take('ada', [lowered], 'all-or-nothing')
    expect(usages).toEqual([{ used: 3, freesInMs: 59_000 }])
  })

  it('do not reset a day where the clock is set back over midnight', async () => {
    const { clock, counters } = counting()
    clock.now = Date.UTC(2024, 4, 18, 0, 0, 1)
    for (let taken = 0; taken < DAILY.limit; taken += 1) await counters.take('ada', [DAILY], 'all-or-nothing')
    clock.now -= 2_000
    expect((await counters.take('ada', [DAILY], 'all-or-nothing')).admitted).toBe(false)
  })

  it('wait no longer where the clock of the machine is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const counters = new MemoryCounters()
    await counters.take('ada', [SCARCE], 'all-or-nothing')
    vi.setSystemTime(Date.now() - 3_600_000)
    const { usages } = await counters.take('ada', [SCARCE], 'all-or-nothing')
    expect(usages[0]?.freesInMs).toBeLessThanOrEqual(60_000)
  })

  it('give no units of the day before back to a new day', async () => {
    const { clock, counters } = counting()
    const yesterday = await counters.take('ada', [DAILY], 'all-or-nothing')
    clock.now = Date.UTC(2024, 4, 18, 0, 0, 1)
    await counters.take('ada', [DAILY], 'all-or-nothing')
    await yesterday.giveBack([DAILY])
    const { usages } = await counters.take('ada', [DAILY], 'all-or-nothing')
    expect(usages).toMatchObject([{ used: 2 }])
  })

  it('hold a bounded number of identities, and forget idle ones first', async () => {
    const { counters } = counting(100)
    const visit = (identity: string) => counters.take(identity, [SCARCE], 'all-or-nothing')
    const admitted: Decision[] = []
    for (let one = 0; one < 1_000; one += 1) {
      await visit(`guest ${one}`)
      admitted.push(await visit('ada'))
      expect(counters.size).toBeLessThanOrEqual(100)
    }
    expect(admitted.filter((decision) => decision.admitted)).toHaveLength(1)
  })

  it('take less than 100 MB for 100,000 callers that use up their minute', async () => {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('gc')
    if (typeof collect !== 'function') throw new Error('This Node does not let garbage be collected')
    const heapBytes = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const daily = (bucket: string): Demand => ({ bucket, limit: 500, windowMs: 'day' })
    const minutely = (bucket: string, limit: number): Demand => ({ bucket, limit, windowMs: 60_000 })
    const reading = [minutely('global', 20), daily('total')]
    const preparing = [...reading, minutely('write', 2), daily('writes')]
    const { counters } = counting()
    const callers = 5_000
    const before = heapBytes()
    for (let caller = 0; caller < callers; caller += 1) {
      const identity = `free:198.51.${caller >> 8}.${caller & 255}`
      for (let call = 0; call < 20; call += 1) {
        await counters.take(identity, call < 18 ? reading : preparing, 'all-or-nothing')
      }
    }
    expect((heapBytes() - before) / callers).toBeLessThan(1_000)
    expect(counters.size).toBe(callers)
  })
})
