import { afterEach, describe, expect, it, vi } from 'vitest'
import { LimiterUnavailableError } from '../../errors/access.ts'
import { CountersAwayError, type Demand } from './counters.ts'
import { GracefulCounters } from './GracefulCounters.ts'
import { MemoryCounters } from './MemoryCounters.ts'

const BUCKET: Demand = { bucket: 'bucket', limit: 2, windowMs: 60_000 }

/** Shared counters that can be away, the service's own, a clock for the grace, and what was logged. */
function stage() {
  const clock = { now: 0 }
  const state: { away: boolean; asked: number; last: unknown[]; failure: Error } = {
    away: false,
    asked: 0,
    last: [],
    failure: new CountersAwayError('ECONNREFUSED'),
  }
  const behind = new MemoryCounters()
  const shared = {
    take: (...call: Parameters<MemoryCounters['take']>) => {
      state.asked += 1
      state.last = call
      return state.away ? Promise.reject(state.failure) : behind.take(...call)
    },
    spent: behind.spent.bind(behind),
    forget: () => {},
  }
  const logged: [string, string, unknown][] = []
  const write = (level: string) => (message: string, facts?: unknown) => logged.push([level, message, facts])
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const own = new MemoryCounters()
  const counters = new GracefulCounters({ shared, own, graceMs: 30_000, log, now: () => clock.now })
  const take = () => counters.take('ada', [BUCKET], 'all-or-nothing')
  return { clock, state, counters, logged, take, shared, own, log }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('counters with a grace', () => {
  it('count in this process during an outage, with the same limits', async () => {
    const { state, take } = stage()
    state.away = true
    const decisions = [await take(), await take(), await take()]
    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, false])
  })

  it('ask the shared counters once per outage and not for every request', async () => {
    const { state, take } = stage()
    state.away = true
    for (let request = 0; request < 100; request += 1) await take()
    expect(state.asked).toBe(1)
  })

  it('refuse every metered request after the grace, and none before', async () => {
    const { clock, state, take } = stage()
    state.away = true
    await take()
    clock.now = 30_000
    expect((await take()).admitted).toBe(true)
    clock.now = 30_001
    await expect(take()).rejects.toThrow(LimiterUnavailableError)
  })

  it('return to the shared counters by themselves, with a full grace for the next outage', async () => {
    vi.useFakeTimers()
    const { clock, state, take } = stage()
    await take()
    state.away = true
    await take()
    clock.now = 40_000
    await expect(take()).rejects.toThrow(LimiterUnavailableError)
    state.away = false
    await vi.advanceTimersByTimeAsync(300)
    const back = [await take(), await take()]
    expect(back.map(({ admitted }) => admitted)).toEqual([true, false])
    state.away = true
    clock.now = 60_000
    expect((await take()).admitted).toBe(true)
    clock.now = 90_000
    await expect(take()).resolves.toMatchObject({ admitted: false })
  })

  it('keep their own counts between outages, so that repeated outages do not add units', async () => {
    vi.useFakeTimers()
    const { state, take } = stage()
    const admitted: boolean[] = []
    for (let outage = 0; outage < 5; outage += 1) {
      state.away = true
      admitted.push((await take()).admitted)
      state.away = false
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(admitted).toEqual([true, true, false, false, false])
  })

  it('give units back to the counters that took them', async () => {
    const { state, take } = stage()
    state.away = true
    const first = await take()
    await take()
    await first.giveBack([BUCKET])
    expect((await take()).admitted).toBe(true)
    expect((await take()).admitted).toBe(false)
  })

  it('log an outage once at its beginning, once at the end of its grace, and once when it is over', async () => {
    vi.useFakeTimers()
    const { clock, state, take, logged } = stage()
    state.away = true
    for (let request = 0; request < 50; request += 1) await take()
    clock.now = 31_000
    for (let request = 0; request < 50; request += 1) await take().catch(() => {})
    await vi.advanceTimersByTimeAsync(5_000)
    state.away = false
    await vi.advanceTimersByTimeAsync(300)
    expect(logged).toEqual([
      ['warn', expect.stringContaining('away'), { reason: 'ECONNREFUSED', graceSeconds: 30 }],
      ['error', expect.stringContaining('refused'), undefined],
      ['info', expect.stringContaining('back'), { awaySeconds: 31 }],
    ])
  })

  it('know what is spent from the counters that count now', async () => {
    const { state, counters, take } = stage()
    await take()
    await take()
    await take()
    expect(counters.spent('ada', BUCKET)).toMatchObject({ used: 2 })
    state.away = true
    await take()
    expect(counters.spent('ada', BUCKET)).toBeUndefined()
    await take()
    await take()
    expect(counters.spent('ada', BUCKET)).toMatchObject({ used: 2 })
  })

  it('begin an outage once, none after they were closed, and none because of an error of their own', async () => {
    const { state, counters, logged, take } = stage()
    state.away = true
    state.failure = new TypeError('a defect')
    await expect(take()).rejects.toThrow('a defect')
    expect(logged).toEqual([])
    counters.lose('first')
    counters.lose('second')
    expect(logged.map(([, , facts]) => facts)).toEqual([{ reason: 'first', graceSeconds: 30 }])

    const closed = stage()
    closed.counters.close()
    closed.counters.lose('late')
    expect(closed.logged).toEqual([])
  })

  it('ask again and again while the others are away, by a unit of their own', async () => {
    vi.useFakeTimers()
    const { clock, state, take, logged } = stage()
    clock.now = 10_000
    state.away = true
    await take()
    await vi.advanceTimersByTimeAsync(1_100)
    expect(state.asked).toBe(5)
    expect(state.last).toEqual(['probe', [expect.objectContaining({ bucket: 'probe' })], 'always'])
    expect(logged).toHaveLength(1)
    clock.now = 13_000
    state.away = false
    await vi.advanceTimersByTimeAsync(300)
    expect(logged.at(-1)).toEqual(['info', expect.stringContaining('back'), { awaySeconds: 3 }])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(state.asked).toBe(6)
  })

  it('measure the grace by a clock of their own where they are given none', async () => {
    const { state, shared, own, log } = stage()
    state.away = true
    const counters = new GracefulCounters({ shared, own, graceMs: 30_000, log })
    await counters.take('ada', [BUCKET], 'all-or-nothing')
    await expect(counters.take('ada', [BUCKET], 'all-or-nothing')).resolves.toMatchObject({ admitted: true })
    counters.close()
  })

  it('tell why the others are away in an error that a log may have', () => {
    expect(new CountersAwayError('ECONNREFUSED')).toMatchObject({
      name: 'CountersAwayError',
      message: 'The shared counters are away: ECONNREFUSED',
      reason: 'ECONNREFUSED',
    })
  })

  it('stop probing once closed', async () => {
    vi.useFakeTimers()
    const { state, counters, take } = stage()
    state.away = true
    await take()
    counters.close()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(state.asked).toBeLessThanOrEqual(2)
  })
})
