import { describe, expect, it } from 'vitest'
import { countDueDays } from './calendar.ts'
import { monthlyParts, PARTS_PER_MONTH, roundedUp } from './perMonth.ts'
import { FREQUENCIES } from './subscription.ts'

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
