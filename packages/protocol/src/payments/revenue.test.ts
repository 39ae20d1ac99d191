import { getAddress, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { dayNumberOf } from '../calendar.ts'
import { monthlyParts } from '../perMonth.ts'
import type { SubscriptionTerms } from '../subscription.ts'
import { type DayFigures, type Figures, type Interval, intervalsOf, revenueOf } from './revenue.ts'

const token = getAddress(`0x${'11'.repeat(20)}`)
const other = getAddress(`0x${'22'.repeat(20)}`)
const unknown = getAddress(`0x${'33'.repeat(20)}`)
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })

const NOTHING: Figures = {
  received: 0n,
  intoFeeBalances: 0n,
  outOfFeeBalances: 0n,
  refunds: 0n,
  callerFees: 0n,
  systemShares: 0n,
  payments: 0,
  failures: 0,
  joined: 0,
  left: 0,
  removed: 0,
  dropped: 0,
  cancelled: 0,
}

/** Each figure has a digit of its own, so none can be taken for another. */
function figuresTimes(times: number): Figures {
  const entries = Object.entries(NOTHING).map(([name, zero], place) => [
    name,
    typeof zero === 'bigint' ? BigInt(times * (place + 1)) : times * (place + 1),
  ])
  return { ...NOTHING, ...Object.fromEntries(entries) }
}

function dayOf(date: string): number {
  const day = dayNumberOf(date)
  if (day === undefined) throw new Error(`${date} is no day`)
  return day
}

describe('calendar intervals', () => {
  const inWords = (from: string, to: string, interval: Interval, most = 100) =>
    intervalsOf({ fromDay: dayOf(from), toDay: dayOf(to) }, interval, most).map(({ fromDay, toDay }) => [
      fromDay - dayOf(from),
      toDay - dayOf(from),
    ])

  it('are days, weeks from Monday and months of the calendar, and the first and last may be a part', () => {
    expect(inWords('2026-03-01', '2026-03-04', 'day')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    // 4 March 2026 is a Wednesday, 9 March a Monday.
    expect(inWords('2026-03-04', '2026-03-18', 'week')).toEqual([
      [0, 5],
      [5, 12],
      [12, 14],
    ])
    expect(inWords('2026-03-09', '2026-03-16', 'week')).toEqual([[0, 7]])
    expect(inWords('2024-01-31', '2024-03-02', 'month')).toEqual([
      [0, 1],
      [1, 30],
      [30, 31],
    ])
    expect(inWords('2026-03-01', '2026-03-01', 'day')).toEqual([])
  })

  it('are one more than the most, at most', () => {
    expect(inWords('2026-03-01', '2026-03-11', 'day', 3)).toHaveLength(4)
    expect(inWords('2026-03-01', '2026-03-04', 'day', 3)).toHaveLength(3)
  })
})

describe('revenue', () => {
  const intervals = [
    { fromDay: 100, toDay: 110 },
    { fromDay: 110, toDay: 120 },
    { fromDay: 120, toDay: 125 },
  ]
  const weekly = { amount: 7n * 10n ** 18n, frequency: 0, token } as const
  const yearly = { amount: 100n * 10n ** 18n, frequency: 3, token } as const
  const elsewhere = { amount: 10n ** 18n, frequency: 1, token: other } as const
  const terms = new Map<Hex, Pick<SubscriptionTerms, 'amount' | 'frequency' | 'token'>>([
    [idOf(1), weekly],
    [idOf(2), yearly],
    [idOf(3), elsewhere],
    [idOf(4), { ...weekly, token: unknown }],
  ])
  const decimals = new Map([
    [token, 6],
    [other, 18],
  ])
  const day = (id: number, at: number, figures: Partial<Figures>): DayFigures => ({
    ...NOTHING,
    ...figures,
    subscriptionId: idOf(id),
    day: at,
  })

  it('adds every figure up by token, by interval and in all', () => {
    const days = [
      day(1, 100, figuresTimes(1)),
      day(2, 109, figuresTimes(10)),
      day(1, 110, figuresTimes(100)),
      day(2, 124, figuresTimes(1_000)),
      day(3, 119, figuresTimes(7)),
    ]
    const revenue = revenueOf({ days, before: new Map(), terms }, intervals, decimals)
    expect(revenue.map((one) => [one.token, one.total])).toEqual([
      [token, figuresTimes(1_111)],
      [other, figuresTimes(7)],
    ])
    const figures = revenue.map((one) => one.intervals.map((interval) => interval.figures))
    expect(figures).toEqual([
      [figuresTimes(11), figuresTimes(100), figuresTimes(1_000)],
      [NOTHING, figuresTimes(7), NOTHING],
    ])
    expect(revenue[0]?.intervals.map(({ range }) => range)).toEqual(intervals)
  })

  it('counts who is active, and what they pay per month, from those before on', () => {
    const days = [
      day(1, 105, { joined: 5 }),
      day(1, 112, { left: 1, removed: 1 }),
      day(2, 113, { joined: 1 }),
      day(2, 121, { dropped: 1, cancelled: 1 }),
    ]
    const before = new Map([
      [idOf(1), { members: 2, feeBalances: 0n }],
      [idOf(2), { members: 3, feeBalances: 0n }],
    ])
    const [revenue] = revenueOf({ days, before, terms }, intervals, decimals)
    expect(revenue?.intervals.map(({ activeAtStart, activeAtEnd }) => [activeAtStart, activeAtEnd])).toEqual([
      [5, 10],
      [10, 9],
      [9, 7],
    ])
    const perMonth = (ofWeekly: bigint, ofYearly: bigint) =>
      ofWeekly * monthlyParts(weekly, 6) + ofYearly * monthlyParts(yearly, 6)
    expect(revenue?.intervals.map(({ mrrAtEnd }) => mrrAtEnd)).toEqual([
      perMonth(7n, 3n),
      perMonth(5n, 4n),
      perMonth(5n, 2n),
    ])
  })

  it('says what fee balances hold at each end: all that went in, without all that came out', () => {
    const days = [
      day(1, 100, { received: 900n, intoFeeBalances: 100n }),
      day(2, 111, { outOfFeeBalances: 20n, callerFees: 4n, systemShares: 1n }),
      day(1, 124, { refunds: 50n }),
    ]
    const before = new Map([
      [idOf(1), { members: 1, feeBalances: 7n }],
      [idOf(2), { members: 0, feeBalances: 30n }],
      [idOf(3), { members: 0, feeBalances: 5n }],
    ])
    const revenue = revenueOf({ days, before, terms }, intervals, decimals)
    expect(revenue.map((one) => one.intervals.map(({ feeBalancesAtEnd }) => feeBalancesAtEnd))).toEqual([
      [137n, 112n, 62n],
      [5n, 5n, 5n],
    ])
  })

  it('leaves out tokens whose decimals are not known, and subscriptions without terms', () => {
    const days = [day(4, 100, figuresTimes(1)), day(5, 100, figuresTimes(1))]
    const before = new Map([
      [idOf(4), { members: 1, feeBalances: 1n }],
      [idOf(5), { members: 1, feeBalances: 1n }],
    ])
    expect(revenueOf({ days, before, terms }, intervals, decimals)).toEqual([])
  })
})
