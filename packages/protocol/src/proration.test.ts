import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countDueDays, dayNumberOf, LAST_DAY, nextDueDay, SECONDS_PER_DAY } from './calendar.ts'
import { monthlyParts, PARTS_PER_MONTH, roundedUp } from './perMonth.ts'
import { prorate } from './proration.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from './subscription.ts'

const at = (date: string) => (dayNumberOf(date) ?? Number.NaN) * SECONDS_PER_DAY + 3_600
const on = (date: string, frequency: Frequency, dueDay: number, amount = 1_000_000n) =>
  prorate({ timestamp: at(date), dueDay, amount, frequency })

describe('prorate', () => {
  it('takes the full amount on the due day', () => {
    expect(on('2025-01-06', 0, 1)).toBe(1_000_000n)
    expect(on('2025-02-28', 1, 28)).toBe(1_000_000n)
    expect(on('2025-03-31', 2, 90)).toBe(1_000_000n)
    expect(on('2024-12-30', 3, 365)).toBe(1_000_000n)
  })

  it('charges the days up to a due day that is still to come in this period', () => {
    expect(on('2025-01-06', 0, 7)).toBe(142_857n * 6n)
    expect(on('2025-01-10', 1, 15)).toBe(((1_000_000n * 12n) / 365n) * 5n)
    expect(on('2025-01-01', 2, 90)).toBe(11_111n * 89n)
    expect(on('2025-01-01', 3, 365)).toBe(2_739n * 364n)
  })

  it('charges the days over the period’s end after it, by the month’s own length', () => {
    expect(on('2025-01-12', 0, 1)).toBe(142_857n)
    expect(on('2024-02-29', 1, 1)).toBe(32_876n)
    expect(on('2025-02-28', 1, 1)).toBe(32_876n)
    expect(on('2025-03-31', 1, 28)).toBe(32_876n * 28n)
  })

  it('counts quarter days 91 and 92 and year day 366 into the period on those days only', () => {
    expect(on('2025-06-30', 2, 1)).toBe(1_000_000n / 91n)
    expect(on('2025-09-30', 2, 1)).toBe(1_000_000n / 92n)
    expect(on('2025-09-28', 2, 1)).toBe(1_000_000n / 90n)
    expect(on('2024-12-31', 3, 1)).toBe(1_000_000n / 366n)
    expect(on('2025-12-31', 3, 1)).toBe(1_000_000n / 365n)
    expect(on('2024-12-31', 3, 365)).toBe((1_000_000n / 366n) * 365n)
  })

  it('rounds a day’s price down before it multiplies', () => {
    expect(on('2025-01-06', 0, 7, 6n)).toBe(0n)
    expect(on('2025-01-06', 0, 7, 13n)).toBe(6n)
  })

  it('never exceeds the amount and reaches it on the due day only', () => {
    const schedule = fc
      .constantFrom(...FREQUENCIES)
      .chain((frequency) => fc.tuple(fc.constant(frequency), fc.integer(dueDayRange(frequency))))
    fc.assert(
      fc.property(
        schedule,
        fc.integer({ min: 0, max: LAST_DAY - 400 }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        ([frequency, dueDay], dayNumber, amount) => {
          const share = prorate({ timestamp: dayNumber * SECONDS_PER_DAY, dueDay, amount, frequency })
          expect(share).toBeLessThanOrEqual(amount)
          expect(share === amount).toBe(nextDueDay(frequency, dueDay, dayNumber) === dayNumber)
        },
      ),
    )
  })
})

const USDC = 6
const TEN = 10n ** 19n

describe('what a subscription takes per month', () => {
  it.each([
    ['weekly', 0, 10_000_000n * 20_871n],
    ['monthly', 1, 10_000_000n * PARTS_PER_MONTH],
    ['quarterly', 2, (10_000_000n * PARTS_PER_MONTH) / 3n],
    ['yearly', 3, (10_000_000n * PARTS_PER_MONTH) / 12n],
  ] as const)('is exact for a %s amount', (_name, frequency, parts) => {
    expect(monthlyParts({ amount: TEN, frequency }, USDC)).toBe(parts)
  })

  it('is what the calendar has in 400 years', () => {
    // 2000-01-01 and the day before 2400-01-01.
    const [first, last] = [10_957, 10_957 + 146_096]
    for (const frequency of FREQUENCIES) {
      const times = BigInt(countDueDays(frequency, 1, first, last))
      expect(monthlyParts({ amount: 10n ** 12n, frequency }, USDC)).toBe(times)
    }
  })

  it('counts what is charged, which the contract truncates to the token’s units', () => {
    expect(monthlyParts({ amount: 1_999_999_999_999n, frequency: 1 }, USDC)).toBe(PARTS_PER_MONTH)
    expect(monthlyParts({ amount: 1n, frequency: 1 }, 20)).toBe(100n * PARTS_PER_MONTH)
  })

  it('is told rounded up', () => {
    expect(roundedUp(0n)).toBe(0n)
    expect(roundedUp(1n)).toBe(1n)
    expect(roundedUp(PARTS_PER_MONTH)).toBe(1n)
    expect(roundedUp(PARTS_PER_MONTH + 1n)).toBe(2n)
  })
})
