import fc from 'fast-check'
import { type Hex, maxUint256, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { INFINITE_ALLOWANCE } from './allowance.ts'
import { dayNumberOf } from './calendar.ts'
import type { ChargedSubscription } from './charges/decideCharge.ts'
import { type Coverage, coverageOf, KEPT_DAYS, type KeptAllowanceInput, keptAllowance } from './coverage.ts'
import { dueDayRange, FREQUENCIES, type Frequency } from './subscription.ts'

const usdc = 10n ** 12n
const START = dayNumberOf('2025-01-10') ?? Number.NaN
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const NEW = idOf(0)
const SKIPPED = { kind: 'skipped' } as const

const charged = (number: number, raw: bigint, frequency: Frequency, dueDay: number): ChargedSubscription => ({
  id: idOf(number),
  amount: raw * usdc,
  frequency,
  dueDay,
  feeBalance: 10n ** 40n,
})

const input = (allowance: bigint, ...subscriptions: ChargedSubscription[]): KeptAllowanceInput => ({
  subscriptions,
  id: NEW,
  decimals: 6,
  callerFee: 10_200n,
  nextUncheckedDay: START,
  today: START - 1,
  allowance,
  firstChargeRaw: 3n,
  least: 0n,
})

const untilOf = ({ until, failsOn }: Coverage) => (failsOn === null ? Number.POSITIVE_INFINITY : (until ?? 0))

/**
 * What the allowance pays for of the others before the new one comes, and after it.
 * @param charged those whom remit has charged already on the day that it is in the middle of
 */
function beforeAndAfter(given: KeptAllowanceInput, proposed: bigint, charged: readonly Hex[] = []) {
  const { subscriptions, id, allowance, firstChargeRaw, ...walk } = given
  const toCharge = subscriptions.filter((row) => !charged.includes(row.id))
  const begun = { charges: toCharge.map(({ id: due }) => ({ id: due, hasFailed: false })), others: SKIPPED }
  const rest = { ...walk, remitOn: (day: number) => (day === walk.today ? begun : undefined) }
  const others = subscriptions.filter((subscription) => subscription.id !== id)
  const left = proposed - firstChargeRaw
  const before = coverageOf({ ...rest, subscriptions: others, means: { allowance, balance: null } })
  const after = coverageOf({ ...rest, subscriptions, means: { allowance: left, balance: null } })
  return others.map((other) => ({
    before: untilOf(before(other.id)),
    after: untilOf(after(other.id)),
  }))
}

describe('the allowance that keeps what was told before', () => {
  it('is what there is, the first charge, and the new one’s charges up to the last kept day', () => {
    // 120 pay for the other one until 15 December, up to which there are 49 Mondays.
    expect(keptAllowance(input(120n, charged(0, 2n, 0, 1), charged(1, 10n, 1, 15)))).toBe(
      120n + 3n + 49n * 2n,
    )
  })

  it('keeps what an allowance pays for where remit has charged for the day already that it is in the middle of', () => {
    // A Wednesday: 2 are left for the next two, if this one is paid already, and for this one and the next, if not.
    const weekly = charged(1, 1n, 0, 3)
    const monday = charged(0, 1n, 0, 1)
    const wednesday = {
      ...input(2n, monday, weekly),
      nextUncheckedDay: dayNumberOf('2025-01-15') ?? Number.NaN,
    }
    expect(keptAllowance({ ...wednesday, today: wednesday.nextUncheckedDay - 1 })).toBe(2n + 3n + 1n)
    expect(keptAllowance({ ...wednesday, today: wednesday.nextUncheckedDay })).toBe(2n + 3n + 2n)
  })

  it('pays everything where a little more would only let one go on at the cost of the rest', () => {
    const others = [charged(1, 100n, 1, 15), charged(2, 1n, 1, 20)]
    const given = input(90n, charged(0, 10n, 1, 25), ...others)
    const proposed = keptAllowance(given)
    expect(beforeAndAfter(given, proposed).every(({ before, after }) => after >= before)).toBe(true)
  })

  it('is what there is where nothing else is subscribed to, nothing is paid for, or it has no end', () => {
    const added = charged(0, 10n, 1, 25)
    expect(keptAllowance(input(90n, added))).toBe(90n)
    expect(keptAllowance(input(9n, added, charged(1, 10n, 1, 15)))).toBe(9n)
    const endless = INFINITE_ALLOWANCE
    expect(keptAllowance(input(endless, added, charged(1, 10n, 1, 15)))).toBe(endless)
  })

  it('keeps a hundred years of what lasts for longer, and never more than there can be', () => {
    const allowance = 10n ** 30n
    const years = Math.floor(KEPT_DAYS / 365.25)
    expect(keptAllowance(input(allowance, charged(0, 10n, 3, 25), charged(1, 10n, 1, 15)))).toBe(
      allowance + 3n + BigInt(years) * 10n,
    )
    const huge = { ...charged(0, 1n, 0, 1), amount: 2n ** 254n * usdc }
    expect(keptAllowance(input(1_000n, huge, charged(1, 10n, 1, 15)))).toBe(maxUint256)
  })

  it('keeps them where the periods asked for need more, and that would let a dear one go on at their cost', () => {
    // 55 pay five weeks of 10. With 2,043 the dear one, dropped at once until now, takes it all in two weeks.
    const [cheap, dear] = [charged(1, 10n, 0, 1), charged(2, 1_000n, 0, 2)]
    const given = { ...input(55n, charged(0, 12n, 2, 25), cheap, dear), least: 2_043n }
    const proposed = keptAllowance(given)
    expect(beforeAndAfter(given, proposed).every(({ before, after }) => after >= before)).toBe(true)
    expect(beforeAndAfter(given, 2_043n).every(({ before, after }) => after >= before)).toBe(false)
    expect(proposed).toBe(3n + 12n + 5n * 10n + 4n * 1_000n)
  })

  it('keeps every day wherever remit stands in the middle of one, and never lowers', () => {
    // Most are due on the day that remit has begun, and stand in its order: sorted by frequency.
    const due = fc
      .constantFrom<Frequency>(0, 1)
      .map((frequency) => ({ frequency, dueDay: frequency === 0 ? 3 : 15 }))
    const row = fc.record({ due, raw: fc.bigInt({ min: 1n, max: 100n }) })
    const rows = fc.array(row, { minLength: 2, maxLength: 6 })
    const amount = fc.bigInt({ min: 0n, max: 500n })
    fc.assert(
      fc.property(rows, amount, amount, (all, allowance, least) => {
        const rowsOf = all
          .map(({ raw, due: { frequency, dueDay } }, index) => charged(index, raw, frequency, dueDay))
          .sort((a, b) => a.frequency - b.frequency)
        const wednesday = dayNumberOf('2025-01-15') ?? Number.NaN
        const given = { ...input(allowance, ...rowsOf), least, nextUncheckedDay: wednesday, today: wednesday }
        const proposed = keptAllowance(given)
        expect(proposed).toBeGreaterThanOrEqual(allowance)
        if (proposed === allowance) return
        for (let place = 0; place <= rowsOf.length; place += 1) {
          const done = rowsOf.slice(0, place).map(({ id }) => id)
          for (const { before, after } of beforeAndAfter(given, proposed, done)) {
            expect(after).toBeGreaterThanOrEqual(Math.min(before, wednesday + KEPT_DAYS - 366))
          }
        }
      }),
    )
  })

  it('always keeps every day, and never lowers', () => {
    const row = fc.constantFrom(...FREQUENCIES).chain((frequency) =>
      fc.record({
        frequency: fc.constant(frequency),
        dueDay: fc.integer(dueDayRange(frequency)),
        raw: fc.bigInt({ min: 1n, max: 100n }),
      }),
    )
    const rows = fc.array(row, { minLength: 1, maxLength: 5 })
    const amount = fc.bigInt({ min: 0n, max: 2_000n })
    fc.assert(
      fc.property(rows, amount, amount, (all, allowance, least) => {
        const rowsOf = all.map(({ raw, frequency, dueDay }, index) => charged(index, raw, frequency, dueDay))
        const given = { ...input(allowance, ...rowsOf), least }
        const proposed = keptAllowance(given)
        expect(proposed).toBeGreaterThanOrEqual(allowance)
        expect(proposed).toBeGreaterThanOrEqual(least)
        if (proposed === allowance) return
        for (const { before, after } of beforeAndAfter(given, proposed)) {
          expect(after).toBeGreaterThanOrEqual(Math.min(before, START + KEPT_DAYS - 366))
        }
      }),
    )
  })
})
