import fc from 'fast-check'
import { type Hex, maxUint256, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  allowanceCovers,
  type Charges,
  type Coverage,
  INFINITE_ALLOWANCE,
  neededAllowance,
} from './allowance.ts'
import { toRaw } from './amounts.ts'
import { dayNumberOf, dueDayOn, LAST_DAY } from './calendar.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from './subscription.ts'

const usdc = 10n ** 12n // one raw unit of a token with 6 decimals, in protocol units
const day = (date: string) => dayNumberOf(date) ?? Number.NaN
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const charges = (number: number, amount: bigint, frequency: Frequency, dueDay: number): Charges => ({
  id: idOf(number),
  amount: amount * usdc,
  frequency,
  dueDay,
})

describe('neededAllowance', () => {
  const subscription = charges(1, 10n, 1, 15)
  const base = {
    subscription,
    others: [],
    decimals: 6,
    approvalPeriods: 12,
    nextUncheckedDay: day('2025-01-10'),
    firstChargeRaw: 4n,
  }

  it('is the first charge and a full period for each charge of remit', () => {
    expect(neededAllowance(base)).toEqual({
      contractRequired: 10n,
      needed: 124n,
      coversUntil: day('2025-12-15'),
      sharedWith: [],
    })
  })

  it('counts due days that remit has not checked yet, however long past', () => {
    const { coversUntil } = neededAllowance({ ...base, nextUncheckedDay: day('2024-12-15') })
    expect(coversUntil).toBe(day('2025-11-15'))
  })

  it('adds every other subscription’s charges up to that day, that day included', () => {
    const others = [
      charges(2, 3n, 1, 15),
      charges(3, 5n, 3, day('2025-12-15') - day('2025-01-01') + 1),
      charges(4, 7n, 3, 5),
    ]
    const { needed, sharedWith } = neededAllowance({ ...base, others })
    expect(needed).toBe(124n + 12n * 3n + 5n)
    expect(sharedWith).toEqual([2, 3, 4].map(idOf))
  })

  it('does not count a subscription twice that is listed among the others', () => {
    expect(neededAllowance({ ...base, others: [subscription] })).toEqual(neededAllowance(base))
  })

  it('truncates each period on its own', () => {
    const odd = { ...subscription, amount: 10n * usdc + 999_999_999_999n }
    expect(neededAllowance({ ...base, subscription: odd }).needed).toBe(124n)
  })

  it('never asks for more than an allowance can hold', () => {
    const huge = { ...subscription, amount: maxUint256 }
    expect(neededAllowance({ ...base, decimals: 18, subscription: huge }).needed).toBe(maxUint256)
  })

  it('always carries subscribe and all the charges that it promises', () => {
    fc.assert(
      fc.property(someSubscriptions, fc.integer({ min: 1, max: 120 }), (all, approvalPeriods) => {
        const [first, ...others] = all
        if (first === undefined) return
        const nextUncheckedDay = 20_000
        const input = { subscription: first, others, decimals: 6, approvalPeriods, nextUncheckedDay }
        const answer = neededAllowance({ ...input, firstChargeRaw: 0n })
        expect(answer.needed).toBeGreaterThanOrEqual(answer.contractRequired)
        const covers = (allowance: bigint) =>
          allowanceCovers({ subscriptions: all, decimals: 6, allowance, nextUncheckedDay }).get(first.id)
        const carried = covers(answer.needed)
        expect(carried?.until ?? LAST_DAY).toBeGreaterThanOrEqual(answer.coversUntil)
        expect(carried?.periods ?? approvalPeriods).toBeGreaterThanOrEqual(approvalPeriods)
      }),
    )
  })
})

const someSubscriptions = fc
  .array(
    fc
      .constantFrom(...FREQUENCIES)
      .chain((frequency) =>
        fc.tuple(
          fc.constant(frequency),
          fc.integer(dueDayRange(frequency)),
          fc.bigInt({ min: 1n, max: 50n }),
        ),
      ),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) => all.map(([frequency, dueDay, amount], index) => charges(index, amount, frequency, dueDay)))

describe('allowanceCovers', () => {
  const cover = (allowance: bigint, ...subscriptions: Charges[]) => {
    const nextUncheckedDay = day('2025-01-10')
    const covers = allowanceCovers({ subscriptions, decimals: 6, allowance, nextUncheckedDay })
    return subscriptions.map(({ id }) => covers.get(id))
  }

  it('counts the charges that the allowance pays for, and the day of the last', () => {
    expect(cover(35n, charges(1, 10n, 1, 15))).toEqual([{ periods: 3, until: day('2025-03-15') }])
    expect(cover(9n, charges(1, 10n, 1, 15))).toEqual([{ periods: 0, until: null }])
    expect(cover(10n, charges(1, 10n, 1, 10))).toEqual([{ periods: 1, until: day('2025-01-10') }])
  })

  it('shares the allowance in the order of the days', () => {
    expect(cover(25n, charges(1, 10n, 1, 15), charges(2, 10n, 1, 20))).toEqual([
      { periods: 1, until: day('2025-01-15') },
      { periods: 1, until: day('2025-01-20') },
    ])
  })

  it('lets the others go on when one is dropped', () => {
    expect(cover(12n, charges(1, 10n, 1, 20), charges(2, 5n, 1, 15))).toEqual([
      { periods: 0, until: null },
      { periods: 2, until: day('2025-02-15') },
    ])
  })

  it('charges weekly before monthly on the same day', () => {
    expect(cover(12n, charges(1, 10n, 1, 13), charges(2, 5n, 0, 1))).toEqual([
      { periods: 0, until: null },
      { periods: 2, until: day('2025-01-20') },
    ])
  })

  it('has no end from 2^255 on, nor where the charges are none', () => {
    expect(cover(INFINITE_ALLOWANCE, charges(1, 10n, 1, 15))).toEqual([null])
    expect(cover(INFINITE_ALLOWANCE - 1n, charges(1, 10n, 0, 1))).toEqual([null])
    expect(cover(5n, charges(1, 0n, 0, 1))).toEqual([null])
  })

  it('is quick for thousands of years of weekly charges', () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      charges(index, BigInt(index + 1), 0, (index % 7) + 1),
    )
    const covers = cover(2_000_000_000n, ...many)
    expect(covers.every((coverage) => coverage !== undefined)).toBe(true)
  }, 5_000)

  it('agrees with a walk from charge to charge', () => {
    fc.assert(
      fc.property(someSubscriptions, fc.bigInt({ min: 0n, max: 2_000n }), (subscriptions, allowance) => {
        const nextUncheckedDay = 20_000
        const covers = allowanceCovers({ subscriptions, decimals: 6, allowance, nextUncheckedDay })
        expect([...covers]).toEqual([...walk(subscriptions, allowance, nextUncheckedDay)])
      }),
      { numRuns: 50 },
    )
  })
})

function walk(
  subscriptions: readonly Charges[],
  allowance: bigint,
  fromDay: number,
): Map<Hex, Coverage | null> {
  const covered = new Map<Hex, Coverage>(subscriptions.map(({ id }) => [id, { periods: 0, until: null }]))
  const active = new Set(subscriptions)
  let left = allowance
  for (let dayNumber = fromDay; active.size > 0; dayNumber += 1) {
    for (const frequency of FREQUENCIES) {
      const due = dueDayOn(dayNumber, frequency)
      for (const charge of [...active]) {
        if (due.skipped || charge.frequency !== frequency || charge.dueDay !== due.dueDay) continue
        const full = toRaw(charge.amount, 6)
        if (full > left) {
          active.delete(charge)
          continue
        }
        left -= full
        const { periods } = covered.get(charge.id) ?? { periods: 0 }
        covered.set(charge.id, { periods: periods + 1, until: dayNumber })
      }
    }
  }
  return covered
}
