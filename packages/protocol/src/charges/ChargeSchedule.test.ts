import { naiveWalk } from '@remit/testing/support/models/naiveWalk'
import fc from 'fast-check'
import { type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { INFINITE_ALLOWANCE } from '../allowance.ts'
import { dayNumberOf, LAST_DAY } from '../calendar.ts'
import { coverageOf } from '../coverage.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from '../subscription.ts'
import { ChargeSchedule, type ChargeScheduleInput, inRemitOrder, type SeenCharge } from './ChargeSchedule.ts'
import type { ChargedSubscription } from './decideCharge.ts'

const ENDLESS = { periods: null, until: null, limitedBy: null, failsOn: null }

const usdc = 10n ** 12n // one raw unit of a token with 6 decimals, in protocol units
const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })

/** Never short of a fee, so that each charge takes a full period. */
const charged = (number: number, raw: bigint, frequency: Frequency, dueDay: number): ChargedSubscription => ({
  id: idOf(number),
  amount: raw * usdc,
  frequency,
  dueDay,
  feeBalance: 10n ** 40n,
})

const walkFrom = (
  subscriptions: readonly ChargedSubscription[],
  means: ChargeScheduleInput['means'],
  date = '2025-01-10',
): ChargeScheduleInput => ({
  subscriptions,
  decimals: 6,
  callerFee: 10_200n,
  means,
  nextUncheckedDay: day(date),
})

describe('a walk', () => {
  it('takes days in order, frequencies within a day, and what is due together as it is given', () => {
    const wednesday = '2025-01-15'
    const input = walkFrom(
      [charged(1, 1n, 1, 15), charged(2, 1n, 0, 3), charged(3, 1n, 1, 15), charged(4, 1n, 0, 2)],
      { allowance: null, balance: null },
    )
    const charges = [...new ChargeSchedule(input).through(day(wednesday))]
    expect(charges.map(({ id, dayNumber }) => [Number(id), dayNumber - day(wednesday)])).toEqual([
      [4, -1],
      [2, 0],
      [1, 0],
      [3, 0],
    ])
  })

  it('goes on where it stopped', () => {
    const input = walkFrom([charged(1, 10n, 1, 15)], { allowance: 25n, balance: null })
    const walk = new ChargeSchedule(input)
    expect([...walk.through(day('2025-02-14'))]).toHaveLength(1)
    expect([...walk.through(day('2025-02-14'))]).toHaveLength(0)
    expect([...walk.through(day('2025-12-31'))]).toEqual([
      {
        id: idOf(1),
        dayNumber: day('2025-02-15'),
        full: 10n,
        asked: 10n,
        taken: 10n,
        verdict: { kind: 'pays' },
        periodsBefore: 1,
        paidUntil: day('2025-01-15'),
      },
      {
        id: idOf(1),
        dayNumber: day('2025-03-15'),
        full: 10n,
        asked: 0n,
        taken: 0n,
        verdict: { kind: 'fails', reason: 'allowance', missing: { allowance: 5n, balance: 0n } },
        periodsBefore: 2,
        paidUntil: day('2025-02-15'),
      },
    ])
  })

  it('takes less than a period where the fee balance is filled, and asks for a whole one', () => {
    // A twelfth of 10 USDC and eleven of them, each truncated, are one unit less.
    const quarterly = { ...charged(1, 10_000_000n, 2, 15), feeBalance: 0n }
    const input = walkFrom([quarterly], { allowance: null, balance: 19_999_999n }, '2025-01-01')
    const charges = [...new ChargeSchedule(input).through(day('2026-01-01'))]
    expect(charges.map(({ taken, verdict }) => [taken, verdict.kind])).toEqual([
      [9_999_999n, 'pays'],
      [10_000_000n, 'pays'],
      [0n, 'fails'],
    ])
  })
})

describe('what a simulation of remit has shown', () => {
  const [first, second, third] = [day('2025-01-15'), day('2025-01-22'), day('2025-01-29')]
  const weekly = (number: number, raw: bigint) => charged(number, raw, 0, 3)
  const seen = (number: number, taken: bigint) => ({ id: idOf(number), hasFailed: false, taken })
  /** What leaves the wallet, charge by charge, if of 15, 22 and 29 January this much was seen. */
  const takenBy = (subscriptions: readonly ChargedSubscription[], ...shown: (readonly SeenCharge[])[]) => {
    const remitOn = (on: number) => {
      const charges = shown[[first, second, third].indexOf(on)]
      return charges && { charges, others: { kind: 'skipped' as const } }
    }
    const input = { ...walkFrom(subscriptions, { allowance: null, balance: null }), remitOn }
    return [...new ChargeSchedule(input).through(third)].map(({ taken }) => Number(taken))
  }

  it('leaves the wallet by what was asked for where the token logs less', () => {
    expect(takenBy([weekly(1, 10n)], [seen(1, 9n)])).toEqual([10, 10, 10])
  })

  it('sets the proportion by the first charge with which the token took more', () => {
    const both = [weekly(1, 10n), weekly(2, 20n)]
    expect(takenBy(both, [seen(1, 10n), seen(2, 22n)])).toEqual([10, 22, 11, 22, 11, 22])
    expect(takenBy(both, [seen(1, 11n), seen(2, 30n)])).toEqual([11, 30, 11, 22, 11, 22])
  })

  it('sets no proportion by a charge of nothing', () => {
    expect(takenBy([weekly(1, 0n), weekly(2, 10n)], [seen(1, 1n), seen(2, 10n)])).toEqual([
      1, 10, 0, 10, 0, 10,
    ])
  })
})

describe('the coverage', () => {
  const cover = (means: Partial<ChargeScheduleInput['means']>, ...subscriptions: ChargedSubscription[]) => {
    const covers = coverageOf(walkFrom(subscriptions, { allowance: null, balance: null, ...means }))
    return subscriptions.map(({ id }) => covers(id))
  }

  it('is the charges that are paid, the day of the last, and the day that fails', () => {
    expect(cover({ allowance: 35n }, charged(1, 10n, 1, 15))).toEqual([
      { periods: 3, until: day('2025-03-15'), limitedBy: 'allowance', failsOn: day('2025-04-15') },
    ])
    expect(cover({ allowance: 9n }, charged(1, 10n, 1, 15))).toEqual([
      { periods: 0, until: null, limitedBy: 'allowance', failsOn: day('2025-01-15') },
    ])
  })

  it('names what falls short first, and the balance where both do', () => {
    const monthly = charged(1, 10n, 1, 15)
    expect(cover({ allowance: 1_000n, balance: 25n }, monthly)).toMatchObject([{ limitedBy: 'balance' }])
    expect(cover({ allowance: 25n, balance: 1_000n }, monthly)).toMatchObject([{ limitedBy: 'allowance' }])
    expect(cover({ allowance: 25n, balance: 25n }, monthly)).toMatchObject([{ limitedBy: 'balance' }])
  })

  it('lets the others go on when one is dropped', () => {
    expect(cover({ balance: 12n }, charged(1, 10n, 1, 20), charged(2, 5n, 1, 15))).toMatchObject([
      { periods: 0, failsOn: day('2025-01-20') },
      { periods: 2, failsOn: day('2025-03-15') },
    ])
  })

  it('has no end where nothing is charged, and where the money outlasts the calendar', () => {
    expect(cover({ allowance: INFINITE_ALLOWANCE }, charged(1, 10n, 1, 15))).toEqual([ENDLESS])
    expect(cover({ allowance: INFINITE_ALLOWANCE - 1n }, charged(1, 10n, 0, 1))).toEqual([ENDLESS])
    expect(cover({ allowance: 5n, balance: 5n }, charged(1, 0n, 0, 1))).toEqual([ENDLESS])
  })

  it('ends by the balance alone where the allowance has no end', () => {
    const half = charged(1, INFINITE_ALLOWANCE / 2n, 0, 1)
    expect(cover({ allowance: INFINITE_ALLOWANCE }, half)).toEqual([ENDLESS])
    expect(cover({ allowance: INFINITE_ALLOWANCE - 1n }, half)).toMatchObject([{ periods: 1 }])
    expect(cover({ allowance: INFINITE_ALLOWANCE, balance: 25n }, charged(1, 10n, 1, 15))).toMatchObject([
      { periods: 2, limitedBy: 'balance' },
    ])
  })

  it('reaches the calendar’s last day, a Friday', () => {
    const input = walkFrom([charged(1, 10n, 0, 5)], { allowance: 9n, balance: null }, '9999-12-31')
    expect(coverageOf(input)(idOf(1))).toMatchObject({ failsOn: LAST_DAY })
  })

  it('is quick for a thousand subscriptions that fall away one after the other over centuries', () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      charged(index, 2n ** BigInt(index % 200), index % 2 === 0 ? 0 : 3, (index % 7) + 1),
    )
    const [first] = cover({ allowance: 2n ** 214n, balance: 2n ** 213n }, ...many)
    expect(first).toBeDefined()
  }, 10_000)

  it('agrees with the contract’s own steps, taken one by one', () => {
    fc.assert(
      fc.property(someWalk, (input) => {
        const failing = naiveWalk(input, input.nextUncheckedDay + 366 * 5).filter(
          ({ verdict }) => verdict.kind === 'fails',
        )
        const covers = coverageOf(input)
        const horizon = input.nextUncheckedDay + 366 * 5
        for (const { id } of input.subscriptions) {
          const failure = failing.find((charge) => charge.id === id)
          const { failsOn, periods, until } = covers(id)
          if (failure === undefined) expect(failsOn ?? horizon + 1).toBeGreaterThan(horizon)
          else
            expect([failsOn, periods, until]).toEqual([
              failure.dayNumber,
              failure.periodsBefore,
              failure.paidUntil,
            ])
        }
        expect([...new ChargeSchedule(input).through(input.nextUncheckedDay + 366)]).toEqual(
          naiveWalk(input, input.nextUncheckedDay + 366),
        )
      }),
      { numRuns: 150 },
    )
  }, 30_000)
})

/** Amounts down to single units of the token, so that truncation and fills count. */
const someWalk: fc.Arbitrary<ChargeScheduleInput> = fc
  .record({
    decimals: fc.constantFrom(6, 18, 20),
    rows: fc.array(
      fc.constantFrom(...FREQUENCIES).chain((frequency) =>
        fc.record({
          frequency: fc.constant(frequency),
          // Few due days, so that several fall together.
          dueDay: fc.integer(dueDayRange(frequency)).map((dueDay) => (dueDay % 3) + 1),
          amount: fc.bigInt({ min: 1n, max: 60n * usdc }),
          feePart: fc.integer({ min: 0, max: 300 }),
        }),
      ),
      { minLength: 1, maxLength: 6 },
    ),
    callerFee: fc.integer({ min: 10_000, max: 10_833 }),
    allowance: fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
    balance: fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
    nextUncheckedDay: fc.integer({ min: 19_990, max: 20_400 }),
  })
  .map(({ decimals, rows, callerFee, allowance, balance, nextUncheckedDay }) => {
    const raw = (value: number | null) =>
      value === null ? null : BigInt(value) * (decimals === 6 ? 1n : usdc * (decimals === 20 ? 100n : 1n))
    return {
      subscriptions: rows.map(({ frequency, dueDay, amount, feePart }, index) => ({
        id: idOf(index),
        amount,
        frequency,
        dueDay,
        feeBalance: (amount * BigInt(feePart)) / 1000n,
      })),
      decimals,
      callerFee: BigInt(callerFee),
      means: { allowance: raw(allowance), balance: raw(balance) },
      nextUncheckedDay,
    }
  })

describe('the order of what is due together', () => {
  const items = [1, 2, 3].map((number) => ({ id: idOf(number) }))
  const numbers = (dueOrder: readonly number[]) =>
    inRemitOrder(items, dueOrder.map(idOf)).map(({ id }) => Number(id))

  it('is that of the due list from its end', () => {
    expect(numbers([2, 1, 3])).toEqual([3, 1, 2])
  })

  it('begins with what will be appended to the list', () => {
    expect(numbers([3, 1])).toEqual([2, 1, 3])
  })

  it('is the wallet’s own from its end where the list is not known', () => {
    expect(numbers([])).toEqual([3, 2, 1])
  })
})
