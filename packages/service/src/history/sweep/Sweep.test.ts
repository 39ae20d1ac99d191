import { expect, it } from 'vitest'
import { RequestBudget } from './RequestBudget.ts'
import { sweepAgainAt } from './sweepAgainAt.ts'

const DAY = 86_400
const HOUR = 3_600
const due = 1_000 * DAY
const paying = { firstDay: 1_000, charges: 'P', trouble: null }
const trouble = { kind: 'balance', dayNumber: 1_000, missingAllowance: 0n, missingBalance: 1n } as const

it('looks at a verdict 30 days later at the latest, and ever more often as its due day comes', () => {
  const looks: number[] = []
  for (let now = due - 40 * DAY; now < due; now = sweepAgainAt(paying, now)) looks.push((due - now) / HOUR)
  expect(looks).toEqual([40 * 24, 10 * 24, 7 * 24, 3 * 24, 24, 6])
  expect(sweepAgainAt(paying, due + HOUR)).toBe(due + 7 * HOUR)
})

it('looks daily at who is short and at paused tokens, and hourly at what could not be read', () => {
  const now = due - 20 * DAY
  expect(sweepAgainAt({ ...paying, trouble }, now)).toBe(now + DAY)
  const paused = { firstDay: 1_000, charges: 'SSS', trouble: null }
  expect(sweepAgainAt(paused, now)).toBe(now + DAY)
  expect(sweepAgainAt(undefined, now)).toBe(now + HOUR)
  // It may have been resumed just before the day comes.
  expect(sweepAgainAt(paused, due - 9 * HOUR)).toBe(due - 6 * HOUR)
})

it('never lets more be asked in any hour than the budget', () => {
  let now = 0
  const budget = new RequestBudget(10, () => now)
  expect(budget.waitMs(11)).toBeUndefined()
  budget.spend(4)
  now += 1_000
  budget.spend(4)
  expect([budget.waitMs(2), budget.waitMs(3), budget.waitMs(7)]).toEqual([
    0,
    HOUR * 1_000 - 1_000,
    HOUR * 1_000,
  ])
  now = HOUR * 1_000
  expect([budget.spent(), budget.waitMs(6), budget.waitMs(7)]).toEqual([4, 0, 1_000])
})
