import { dateOf, dayNumberOf } from '@remit/protocol/calendar'
import { describe, expect, it } from 'vitest'
import {
  chargedNow,
  comingCharges,
  firstLater,
  neededToday,
  type PlanTerms,
  reserveTerms,
  takenSoon,
} from './charges.ts'

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
  comingCharges(plan, count, day('2026-03-04').dayNumber - 2).map(
    ({ dayNumber, isSoon }) => `${dateOf(dayNumber)}${isSoon ? ' soon' : ''}`,
  )

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
      '2026-02-18 soon',
      '2026-02-25 soon',
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
    expect(chargedNow(weekly, { ...monday, ...unchecked })).toEqual({
      toFeeBalance: 2_857_142n,
      toProvider: 0n,
    })
  })

  it('and what is due and not collected yet come to what the day takes, which the wallet must hold', () => {
    const today = day('2026-03-04').dayNumber
    const at = { timestamp: today * 86_400 + 40_000, callerFee: 10_200n, nextUncheckedDay: today }
    const dueToday = { ...weekly, amountRaw: 10_000_000n, overdueCount: 0 }
    const late = { ...dueToday, overdue: [day('2026-02-25')], overdueCount: 1 }
    const now = chargedNow(dueToday, at)?.toFeeBalance
    expect([now, takenSoon(dueToday, today), neededToday(dueToday, now, today)]).toEqual([
      200_000n,
      10_000_000n,
      10_200_000n,
    ])
    expect([takenSoon(late, today), neededToday(late, now, today)]).toEqual([20_000_000n, 20_200_000n])
    expect([takenSoon(dueToday, today - 2), neededToday(dueToday, 2_857_142n, today - 2)]).toEqual([
      0n,
      10_000_000n,
    ])
    expect(firstLater(late, today)).toEqual({ ...day('2026-03-11'), isSoon: false })
  })

  it('fills the collecting reserve, or leaves that to the first whole payment, as remit does', () => {
    const callerFee = 10_200n
    expect(reserveTerms(weekly, 200_000n, callerFee)).toEqual({
      fee: 200_000_000_000_000_000n,
      fill: { toFeeBalance: 10_000_000n, toProvider: 0n },
      isFilledFirst: true,
    })
    expect(reserveTerms(weekly, 2_857_142n, callerFee)?.isFilledFirst).toBe(false)
    expect(reserveTerms({ ...weekly, frequency: 1 }, 200_000n, callerFee)?.fill).toEqual({
      toFeeBalance: 2_500_000n,
      toProvider: 7_500_000n,
    })
  })

  it('is not told of a price that is none', () => {
    expect(chargedNow({ ...weekly, amount: '0' }, { ...monday, ...unchecked })).toBeUndefined()
  })
})
