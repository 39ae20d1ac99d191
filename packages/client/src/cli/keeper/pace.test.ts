import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  faultWaitMs,
  fruitlessWaitMs,
  leastIntervalMs,
  raceWaitMs,
  untilNextCheckMs,
  WriteBudget,
} from './pace.ts'

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

const DAY_MS = 86_400_000
const NOON = 20_000 * DAY_MS + DAY_MS / 2

it('never lets more through than the limits of a minute and of a UTC day, at whatever times it is asked', () => {
  const steps = fc.array(fc.integer({ min: 0, max: DAY_MS / 4 }), { maxLength: 80 })
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 10 }),
      (waits, perMinute, perDay) => {
        const budget = new WriteBudget({ perMinute, perDay })
        const taken: number[] = []
        let now = NOON
        for (const wait of waits) {
          now += Math.min(wait, budget.waitMs(now) + wait)
          const held = budget.waitMs(now)
          if (held > 0) continue
          budget.take(now)
          taken.push(now)
        }
        for (const at of taken) {
          expect(taken.filter((each) => each > at - 60_000 && each <= at).length).toBeLessThanOrEqual(
            perMinute,
          )
          const day = Math.floor(at / DAY_MS)
          expect(taken.filter((each) => Math.floor(each / DAY_MS) === day).length).toBeLessThanOrEqual(perDay)
        }
      },
    ),
  )
})

it('says how long to wait, to the millisecond', () => {
  const budget = new WriteBudget({ perMinute: 2, perDay: 3 })
  budget.take(NOON)
  expect(budget.waitMs(NOON)).toBe(0)
  budget.take(NOON + 1000)
  expect(budget.waitMs(NOON + 2000)).toBe(58_000)
  expect(budget.waitMs(NOON + 60_000)).toBe(0)
  budget.take(NOON + 60_000)
  expect(budget.waitMs(NOON + 3_600_000)).toBe(DAY_MS / 2 - 3_600_000)
  expect(budget.waitMs(NOON + DAY_MS / 2)).toBe(0)
})

it('counts what was given back in its minute, and not in its day', () => {
  const budget = new WriteBudget({ perMinute: 1, perDay: 1 })
  budget.take(NOON)
  budget.giveBack()
  expect(budget.waitMs(NOON)).toBe(60_000)
  expect(budget.waitMs(NOON + 60_000)).toBe(0)
})
