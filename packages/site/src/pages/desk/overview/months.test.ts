import type { GetProviderOutlookAnswer, TokenRevenue } from '@remit/client'
import { dateOf, dayNumberOf } from '@remit/protocol/calendar'
import { expect, it } from 'vitest'
import { moneyMonths } from './months.ts'
import { churnWords } from './numbers.ts'

type Interval = TokenRevenue['intervals'][number]
type IncomeDay = GetProviderOutlookAnswer['income']['days'][number]

const TOKEN = { address: '0xt', symbol: 'USDC', name: null, decimals: 6 } as unknown as TokenRevenue['token']
const OTHER = { ...TOKEN, address: '0xo' } as unknown as TokenRevenue['token']
const dayOf = (date: string) => dayNumberOf(date) ?? expect.fail('a date')
const quantity = (raw: bigint) => ({ amount: '', amountRaw: raw, tokenDecimals: 6 })

/** What the chart reads of a month that has been. */
const month = (date: string, arrived: bigint, joined = 0) =>
  ({
    from: { dayNumber: dayOf(date), date },
    arrived: quantity(arrived),
    subscribers: { new: joined, activeAtEnd: joined },
  }) as unknown as Interval

const due = (date: string, income: bigint, missed = 0n, token = TOKEN) =>
  ({
    dayNumber: dayOf(date),
    token,
    income: quantity(income),
    missed: quantity(missed),
  }) as unknown as IncomeDay

const told = (intervals: Interval[], days: IncomeDay[], through: string) =>
  moneyMonths(
    { token: TOKEN, intervals },
    {
      income: { totals: [], days },
      through: { dayNumber: dayOf(through), date: through },
    },
  ).map(({ date, came, comes, missed }) => [date.slice(0, 7), came.amount, comes.amount, missed.amount])

it('has what came and what comes in one row of months, as far as whole months are known', () => {
  const past = ['06', '07', '08', '09', '10'].map((of) => month(`2026-${of}-01`, 5_000_000n, 1))
  const days = [
    // Late, and so still to come.
    due('2026-10-30', 1_000_000n),
    due('2026-11-30', 2_000_000n, 500_001n),
    due('2026-12-01', 3_000_000n),
    due('2026-12-31', 4_000_000n),
    due('2027-01-31', 10n),
    due('2027-02-03', 9_000_000n),
    due('2026-12-05', 9_000_000n, 9n, OTHER),
  ]
  expect(told([...past, month('2026-11-01', 7_000_000n, 1)], days, '2027-02-25')).toEqual([
    ['2026-06', '5', '0', '0'],
    ['2026-07', '5', '0', '0'],
    ['2026-08', '5', '0', '0'],
    ['2026-09', '5', '0', '0'],
    ['2026-10', '5', '0', '0'],
    ['2026-11', '7', '3', '0.500001'],
    ['2026-12', '0', '7', '0'],
    ['2027-01', '0', '0.00001', '0'],
  ])
})

it('leaves out the months before the first member, but not so many that one bar is left', () => {
  const empty = Array.from({ length: 11 }, (_, index) =>
    month(
      dateOf(Math.floor(dayOf('2025-12-15') + index * 30.4))
        .slice(0, 8)
        .concat('01'),
      0n,
    ),
  )
  expect(told([...empty, month('2026-11-01', 1n, 1)], [], '2026-11-30')).toHaveLength(6)
})

it.each([
  [
    { left: 1, dropped: 1, of: 40 },
    { share: '5%', of: '2 of 40' },
  ],
  [
    { left: 2, dropped: 1, of: 3 },
    { share: '100%', of: '3 of 3' },
  ],
  [
    { left: 0, dropped: 0, of: 1_200 },
    { share: '0%', of: '0 of 1,200' },
  ],
  [{ left: 0, dropped: 0, of: 0 }, undefined],
])('says who ended of all who were there: %j', ({ left, dropped, of }, words) => {
  const churn = { voluntary: { ended: left, of }, involuntary: { ended: dropped, of } }
  expect(churnWords({ churn })).toEqual(words)
})
