import { dateOf, dayNumberOf } from '@remit/protocol/calendar'
import { describe, expect, it } from 'vitest'
import { chargedNow, comingCharges, type PlanTerms } from './charges.ts'

const day = (date: string) => ({ dayNumber: dayNumberOf(date) ?? 0 })
const weekly: PlanTerms = {
  amount: '10',
  tokenDecimals: 6,
  frequency: 0,
  dueDay: 3,
  nextDue: day('2026-03-04'),
  overdue: [],
}
const dates = (plan: PlanTerms, count = 3) =>
  comingCharges(plan, count).map(({ dayNumber, isLate }) => `${dateOf(dayNumber)}${isLate ? ' late' : ''}`)

describe('the payments to come', () => {
  it.each([
    ['weekly', weekly, ['2026-03-04', '2026-03-11', '2026-03-18']],
    ['yearly', { ...weekly, frequency: 3, dueDay: 63 } as const, ['2026-03-04', '2027-03-04', '2028-03-03']],
    ['monthly', { ...weekly, frequency: 1, dueDay: 4 } as const, ['2026-03-04', '2026-04-04', '2026-05-04']],
  ])('are the next due days of a %s plan', (_, plan, expected) => {
    expect(dates(plan)).toEqual(expected)
  })

  it('begin with the days that are over and not collected', () => {
    expect(dates({ ...weekly, overdue: [day('2026-02-18'), day('2026-02-25')] })).toEqual([
      '2026-02-18 late',
      '2026-02-25 late',
      '2026-03-04',
    ])
  })

  it('are none of a plan that has ended', () => {
    expect(dates({ ...weekly, nextDue: null })).toEqual([])
  })
})

describe('what is taken at once', () => {
  const monday = { timestamp: day('2026-03-02').dayNumber * 86_400 + 40_000, callerFee: 10_200n }
  const unchecked = { nextUncheckedDay: day('2026-03-02').dayNumber }

  it('is what the contract takes: two days of seven until Wednesday', () => {
    expect(chargedNow(weekly, { ...monday, ...unchecked })).toBe(2_857_142n)
  })

  it('is not told of a price that is none', () => {
    expect(chargedNow({ ...weekly, amount: '0' }, { ...monday, ...unchecked })).toBeUndefined()
  })
})
