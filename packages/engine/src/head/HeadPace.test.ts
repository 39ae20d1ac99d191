import { describe, expect, it } from 'vitest'
import { chainTime } from './chainTime.ts'
import { HeadPace } from './HeadPace.ts'

const BLOCK_MS = 2_000

/** Follows a chain with a block every 2 s, whose blocks arrive up to `jitterMs` late, for an hour. */
function follow(pace: HeadPace, clock: { now: number }, jitterMs: number) {
  const hour = clock.now + 3_600_000
  const arrivals = Array.from(
    { length: 1_900 },
    (_, n) => clock.now + BLOCK_MS * n + jitterMs * ((n * 7919) % 11) * 0.1,
  )
  let [questions, known, age] = [0, -1, 0]
  while (clock.now < hour) {
    const seen = arrivals.findLastIndex((at) => at <= clock.now)
    questions += 1
    age += clock.now - (arrivals[seen] ?? clock.now)
    if (seen > known) pace.moved({ number: seen, timestamp: Math.floor((BLOCK_MS * seen) / 1_000) }, false)
    clock.now += pace.nextMs(seen === known)
    known = seen
  }
  return { questionsPerBlock: questions / (3_600_000 / BLOCK_MS), ageMs: age / questions }
}

describe('the pace of asking for heads', () => {
  it.each([0, 300])('is at most one question a block, soon after it came (%s ms of jitter)', (jitterMs) => {
    const clock = { now: 0 }
    const pace = new HeadPace({ pollMs: 1_500, isSteady: false, idleAfterMs: Infinity, now: () => clock.now })
    const { questionsPerBlock, ageMs } = follow(pace, clock, jitterMs)
    expect(questionsPerBlock).toBeLessThanOrEqual(1.01)
    expect(questionsPerBlock).toBeGreaterThan(0.8)
    expect(ageMs).toBeLessThan(BLOCK_MS / 3)
  })

  it('is slow while nobody calls, and at once as before when somebody does', () => {
    const clock = { now: 0 }
    const pace = new HeadPace({ pollMs: 1_500, isSteady: true, idleAfterMs: 300_000, now: () => clock.now })
    expect(pace.nextMs(false)).toBe(1_500)
    clock.now = 300_001
    expect(pace.nextMs(false)).toBe(15_000)
    expect(pace.awakeMs).toBe(1_500)
    expect(pace.touch()).toBe(true)
    expect(pace.touch()).toBe(false)
    expect(pace.nextMs(true)).toBe(1_500)
  })

  it('is steady where blocks come on demand', () => {
    const pace = new HeadPace({ pollMs: 250, isSteady: true, idleAfterMs: Infinity })
    pace.moved({ number: 1, timestamp: 0 }, false)
    pace.moved({ number: 2, timestamp: 86_400 }, false)
    expect(pace.nextMs(true)).toBe(250)
  })
})

const HEAD = { timestamp: 1_000_000, seenAt: 50_000 }

/** @param seconds since the head was first seen */
const timeAfter = (seconds: number, { wall = HEAD.timestamp + seconds } = {}) =>
  chainTime(HEAD, { steadyMs: HEAD.seenAt + seconds * 1_000, wallMs: wall * 1_000 })

describe('the chain’s clock', () => {
  it('is the head’s time and what has passed since the head was first seen, in whole seconds', () => {
    expect(timeAfter(2)).toBe(HEAD.timestamp + 2)
    expect(timeAfter(7.9)).toBe(HEAD.timestamp + 7)
    expect(timeAfter(3_600)).toBe(HEAD.timestamp + 3_600)
  })

  it('is later than the head, because the next block will be', () => {
    expect(timeAfter(0)).toBe(HEAD.timestamp + 1)
  })

  it('is the process’s clock if the head is over an hour old', () => {
    expect(timeAfter(5, { wall: HEAD.timestamp + 3_600 })).toBe(HEAD.timestamp + 5)
    expect(timeAfter(5, { wall: HEAD.timestamp + 3_601 })).toBe(HEAD.timestamp + 3_601)
    expect(timeAfter(0, { wall: HEAD.timestamp + 9 * 86_400 })).toBe(HEAD.timestamp + 9 * 86_400)
  })

  it('continues from a head in the future, as on a development chain whose clock was advanced', () => {
    expect(timeAfter(90, { wall: HEAD.timestamp - 5 * 86_400 })).toBe(HEAD.timestamp + 90)
  })

  it('does not go back when the process’s clock takes over from a head in the future', () => {
    expect(timeAfter(4_000, { wall: HEAD.timestamp + 3_700 })).toBe(HEAD.timestamp + 4_000)
  })
})
