import { expect, it } from 'vitest'
import { faultWaitMs, fruitlessWaitMs, leastIntervalMs, raceWaitMs, untilNextCheckMs } from './schedule.ts'

const HOUR = 3_600_000
const MIDNIGHT = 20_515 * 86_400

it('looks after an interval, or just behind the chain’s midnight where that comes first', () => {
  const look = (chainTimestamp: number, stoodStill = false) =>
    untilNextCheckMs({ chainTimestamp, stoodStill, intervalMs: 300_000 })
  expect(look(MIDNIGHT - 43_200)).toBe(300_000)
  expect(look(MIDNIGHT - 60)).toBe(65_000)
  expect(look(MIDNIGHT)).toBe(300_000)
  // A clock that does not move would be looked at every few seconds for ever.
  expect(look(MIDNIGHT - 1, true)).toBe(300_000)
})

it('waits longer and longer for what is in vain, and never longer than six hours', () => {
  expect([1, 2, 3, 4, 50].map((looks) => fruitlessWaitMs(looks) / HOUR)).toEqual([1, 2, 4, 6, 6])
})

it('comes back soon after a lost race, but not for ever', () => {
  expect([1, 2, 3, 4, 5].map(raceWaitMs)).toEqual([15_000, 60_000, 240_000, HOUR, 2 * HOUR])
})

it('leaves a failing upstream alone for twice as long each time', () => {
  expect([1, 2, 3, 60].map((faults) => faultWaitMs(faults, 300_000))).toEqual([2000, 4000, 8000, 300_000])
})

it('asks no more often than a day’s requests pay for, with some to spare', () => {
  expect(86_400_000 / leastIntervalMs(500)).toBeLessThanOrEqual(400)
  expect(leastIntervalMs(0)).toBe(86_400_000)
})
