import fc from 'fast-check'
import { type Hex, maxUint256, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { extendedAllowance, neededAllowance, type RecurringCharge } from './allowance.ts'
import { dayNumberOf, LAST_DAY } from './calendar.ts'
import { coverageOf } from './coverage.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from './subscription.ts'

const usdc = 10n ** 12n // one raw unit of a token with 6 decimals, in protocol units
const day = (date: string) => dayNumberOf(date) ?? Number.NaN
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const charges = (number: number, amount: bigint, frequency: Frequency, dueDay: number): RecurringCharge => ({
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
    const { needed } = neededAllowance({ ...base, others })
    expect(needed).toBe(124n + 12n * 3n + 5n)
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
        const carried = coverageOf({
          subscriptions: all.map((charges) => ({ ...charges, feeBalance: 0n })),
          decimals: 6,
          callerFee: 10_200n,
          means: { allowance: answer.needed, balance: null },
          nextUncheckedDay,
        })(first.id)
        expect(carried.until ?? LAST_DAY).toBeGreaterThanOrEqual(answer.coversUntil)
        expect(carried.periods ?? approvalPeriods).toBeGreaterThanOrEqual(approvalPeriods)
      }),
    )
  })
})

describe('extendedAllowance', () => {
  const input = { decimals: 6, approvalPeriods: 3, nextUncheckedDay: day('2025-01-10') }

  it('pays for the frequent as long as for the one whose last charge is latest', () => {
    const monthly = charges(1, 10n, 1, 15)
    const quarterly = charges(2, 100n, 2, 40)
    const expected = { needed: 3n * 100n + 7n * 10n, coversUntil: day('2025-08-09') }
    for (const subscriptions of [
      [monthly, quarterly],
      [quarterly, monthly],
    ]) {
      expect(extendedAllowance({ ...input, subscriptions })).toMatchObject(expected)
    }
  })

  it('is nothing without a subscription', () => {
    expect(extendedAllowance({ ...input, subscriptions: [] })).toBeUndefined()
  })

  it('lasts to the end of the calendar where that comes before the last charge', () => {
    const nextUncheckedDay = LAST_DAY - 40
    const monthly = charges(1, 10n, 1, 15)
    const yearly = charges(2, 7n, 3, 1)
    const answer = extendedAllowance({ ...input, nextUncheckedDay, subscriptions: [monthly, yearly] })
    expect(answer).toMatchObject({ needed: 10n, coversUntil: LAST_DAY })
    // The contract asks for one period even if none is left to charge.
    const atEnd = extendedAllowance({ ...input, nextUncheckedDay: LAST_DAY, subscriptions: [monthly] })
    expect(atEnd).toMatchObject({ needed: 10n, coversUntil: LAST_DAY })
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
