import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayNumberOf, SECONDS_PER_DAY } from './calendar.ts'
import { feeFill, feePercent, firstCharge, splitToRaw, subscriptionFee, systemShare } from './fees.ts'
import { FREQUENCIES, type Frequency } from './subscription.ts'

const callerFee = 10_200n
const day = (date: string) => dayNumberOf(date) ?? Number.NaN

function charge(
  date: string,
  frequency: Frequency,
  dueDay: number,
  nextUncheckedDay: number,
  amount = 12_000n,
) {
  const terms = { amount, frequency, dueDay }
  return firstCharge({ terms, timestamp: day(date) * SECONDS_PER_DAY, callerFee, nextUncheckedDay })
}

describe('fees', () => {
  it('are percentages to two decimals, exactly', () => {
    const fees = [10_000n, 10_150n, 10_833n, 11_000n, 19_999n]
    expect(fees.map(feePercent)).toEqual([0, 1.5, 8.33, 10, 99.99])
    for (let fee = 10_000n; fee < 20_000n; fee += 1n) {
      expect(String(feePercent(fee))).toMatch(/^\d+(\.\d{1,2})?$/)
    }
  })

  it('round down, the system’s share in the caller’s favour', () => {
    expect(subscriptionFee(99n, 10_200n)).toBe(1n)
    expect(subscriptionFee(49n, 10_200n)).toBe(0n)
    expect(systemShare(9n, 11_000n)).toBe(0n)
    expect(systemShare(10n, 11_000n)).toBe(1n)
  })
})

describe('feeFill', () => {
  it('keeps all of a week, a quarter of a month and a twelfth of a quarter or year', () => {
    expect(FREQUENCIES.map((frequency) => feeFill({ amount: 1_003n, frequency }))).toEqual([
      { toFeeBalance: 1_003n, toProvider: 0n },
      { toFeeBalance: 250n, toProvider: 750n },
      { toFeeBalance: 83n, toProvider: 913n },
      { toFeeBalance: 83n, toProvider: 913n },
    ])
  })

  it('always covers the fee that is taken in the same step', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.bigInt({ min: 10_000n, max: 10_833n }),
        fc.constantFrom(...FREQUENCIES),
        (amount, fee, frequency) => {
          expect(feeFill({ amount, frequency }).toFeeBalance).toBeGreaterThanOrEqual(
            subscriptionFee(amount, fee),
          )
        },
      ),
    )
  })
})

describe('firstCharge', () => {
  const ahead = day('2030-01-01')

  it('puts a weekly share wholly into the fee balance', () => {
    expect(charge('2025-01-06', 0, 7, ahead)).toEqual({ toFeeBalance: 1_714n * 6n, toProvider: 0n })
  })

  it('splits a monthly share of at least a quarter of the amount', () => {
    const share = 394n * 14n
    expect(charge('2025-01-01', 1, 15, ahead)).toEqual({ toFeeBalance: 3_000n, toProvider: share - 3_000n })
    expect(charge('2025-01-09', 1, 15, ahead)).toEqual({ toFeeBalance: 394n * 6n, toProvider: 0n })
  })

  it('splits a quarterly or yearly share of at least 83 thousandths of the amount', () => {
    expect(charge('2025-01-01', 2, 9, ahead)).toEqual({ toFeeBalance: 996n, toProvider: 133n * 8n - 996n })
    expect(charge('2025-01-01', 2, 8, ahead)).toEqual({ toFeeBalance: 931n, toProvider: 0n })
    expect(charge('2025-01-01', 3, 100, ahead)).toEqual({ toFeeBalance: 996n, toProvider: 32n * 99n - 996n })
  })

  it('judges both thresholds by whole hundredths and thousandths', () => {
    expect(charge('2025-01-01', 1, 9, ahead, 1_000n)).toEqual({ toFeeBalance: 250n, toProvider: 6n })
    expect(charge('2025-01-01', 3, 32, ahead, 1_110n)).toEqual({ toFeeBalance: 92n, toProvider: 1n })
  })

  it('takes one caller’s fee where the share would be less', () => {
    expect(charge('2025-01-01', 3, 2, ahead)).toEqual({ toFeeBalance: 240n, toProvider: 0n })
  })

  it('takes one caller’s fee on a due day that remit has yet to charge, and the full period after it', () => {
    const today = day('2025-01-15')
    expect(charge('2025-01-15', 1, 15, today)).toEqual({ toFeeBalance: 240n, toProvider: 0n })
    expect(charge('2025-01-15', 1, 15, today - 3)).toEqual({ toFeeBalance: 240n, toProvider: 0n })
    expect(charge('2025-01-15', 1, 15, today + 1)).toEqual({ toFeeBalance: 3_000n, toProvider: 9_000n })
    // On no due day it takes the share, however late remit is.
    expect(charge('2025-01-01', 1, 15, today - 30)).toEqual(charge('2025-01-01', 1, 15, ahead))
  })

  it('answers zeros for an amount of zero, where the contract may panic', () => {
    for (const frequency of FREQUENCIES) {
      expect(charge('2025-01-15', frequency, 1, ahead, 0n)).toEqual({ toFeeBalance: 0n, toProvider: 0n })
    }
  })
})

it('splitToRaw truncates each transfer on its own', () => {
  const split = { toFeeBalance: 1_999_999_999_999n, toProvider: 1_999_999_999_999n }
  expect(splitToRaw(split, 6)).toEqual({ toFeeBalance: 1n, toProvider: 1n, total: 2n })
  expect(splitToRaw({ toFeeBalance: 1n, toProvider: 2n }, 20)).toEqual({
    toFeeBalance: 100n,
    toProvider: 200n,
    total: 300n,
  })
})
