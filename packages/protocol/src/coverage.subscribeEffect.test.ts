import { type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { dayNumberOf } from './calendar.ts'
import type { ChargedSubscription } from './charges/decideCharge.ts'
import { isShortened, type SubscribeEffectInput, subscribeEffect } from './coverage.ts'
import type { Frequency } from './subscription.ts'

const usdc = 10n ** 12n // one raw unit of a token with 6 decimals, in protocol units
const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const NEW = idOf(0)
const ENDLESS = { periods: null, until: null, limitedBy: null, failsOn: null }

const charged = (
  number: number,
  raw: bigint,
  frequency: Frequency = 1,
  dueDay = 15,
): ChargedSubscription => ({
  id: idOf(number),
  amount: raw * usdc,
  frequency,
  dueDay,
  feeBalance: 10n ** 40n,
})

/** The new one takes 10 a month, and 4 at once. */
const effectOf = (others: readonly ChargedSubscription[], given: Partial<SubscribeEffectInput> = {}) =>
  subscribeEffect({
    subscriptions: [charged(0, 10n), ...others],
    id: NEW,
    decimals: 6,
    callerFee: 10_200n,
    nextUncheckedDay: day('2025-01-10'),
    before: { allowance: 0n, balance: 1_000n },
    approved: 44n,
    firstChargeRaw: 4n,
    ...given,
  })

describe('what subscribing changes', () => {
  it('is how long the new one is paid, after its first charge', () => {
    expect(effectOf([])).toEqual({
      covers: { periods: 4, until: day('2025-04-15'), limitedBy: 'allowance', failsOn: day('2025-05-15') },
      others: [],
      shortfall: null,
    })
  })

  it('leaves nothing where the first charge takes all, or more', () => {
    for (const approved of [4n, 3n]) expect(effectOf([], { approved }).covers.periods).toBe(0)
    expect(effectOf([], { approved: 3n, subscriptions: [charged(0, 0n)] }).covers).toEqual(ENDLESS)
  })

  it('names those of the others that are paid for longer or shorter than before, by allowance alone too', () => {
    const [same, shorter] = [charged(1, 0n), charged(2, 20n, 1, 20)]
    const { others } = effectOf([same, shorter], {
      before: { allowance: 60n, balance: 1_000n },
      approved: 64n,
    })
    const [before, after] = [
      { periods: 3, until: day('2025-03-20'), limitedBy: 'allowance', failsOn: day('2025-04-20') },
      { periods: 2, until: day('2025-02-20'), limitedBy: 'allowance', failsOn: day('2025-03-20') },
    ]
    expect(others).toEqual([
      { id: shorter.id, covers: { before, after }, allowanceCovers: { before, after } },
    ])
  })

  it('tells the allowance from all that a wallet has', () => {
    const other = charged(1, 20n, 1, 20)
    const { others } = effectOf([other], { before: { allowance: 1_000n, balance: 45n }, approved: 1_000n })
    expect(others[0]?.covers.before).toMatchObject({ periods: 2, limitedBy: 'balance' })
    expect(others[0]?.covers.after).toMatchObject({ periods: 1, limitedBy: 'balance' })
    expect(others[0]?.allowanceCovers.before).toMatchObject({ periods: 50, limitedBy: 'allowance' })
    expect(others[0]?.allowanceCovers.after).toMatchObject({ limitedBy: 'allowance' })
  })

  it('counts one whose limit is another one now, though it lasts as long', () => {
    const other = charged(1, 20n, 1, 20)
    const { others } = effectOf([charged(0, 0n), other].slice(1), {
      subscriptions: [charged(0, 0n), other],
      before: { allowance: 45n, balance: 1_000n },
      approved: 1_004n,
      firstChargeRaw: 960n,
    })
    expect(others.map(({ covers }) => [covers.before.limitedBy, covers.after.limitedBy])).toEqual([
      ['allowance', 'balance'],
    ])
    expect(others[0]?.covers.after.failsOn).toBe(others[0]?.covers.before.failsOn)
  })

  it('has no end where nothing ends', () => {
    const infinite = 2n ** 256n - 1n
    const before = { allowance: infinite, balance: infinite }
    const { covers } = effectOf([], { subscriptions: [charged(0, 0n)], before, approved: infinite })
    expect(covers).toEqual(ENDLESS)
  })
})

describe('a balance that does not pay for the next three charges', () => {
  const allowed = { allowance: 10_000n, approved: 10_000n }
  const withBalance = (balance: bigint, ...others: ChargedSubscription[]) =>
    effectOf(others, { before: { allowance: allowed.allowance, balance }, approved: allowed.approved })
      .shortfall

  it('is short by what all of them take with the first charge', () => {
    expect(withBalance(34n)).toBeNull()
    expect(withBalance(33n)).toEqual({
      needed: 34n,
      missing: 1n,
      by: day('2025-03-15'),
      failing: NEW,
      through: day('2025-03-15'),
    })
  })

  it('is short for another one that would be paid without it, and names who fails first', () => {
    const other = charged(1, 100n, 1, 14)
    // Without it, there is enough for three months of the other one.
    expect(withBalance(4n + 300n, other)).toEqual({
      needed: 334n,
      missing: 30n,
      by: day('2025-03-14'),
      failing: other.id,
      through: day('2025-03-15'),
    })
    // The other one fails on the same day with it and without it: that is not what subscribing changes.
    expect(withBalance(4n + 99n, charged(1, 1_000n, 1, 14))).toBeNull()
    expect(withBalance(4n + 5n, other)).toMatchObject({ failing: NEW, by: day('2025-01-15') })
  })

  it('names the first in remit’s order of those that fail on one day', () => {
    const [one, two] = [charged(1, 100n, 1, 15), charged(2, 100n, 1, 15)]
    const given = { before: { allowance: 10_000n, balance: 4n + 200n }, approved: 10_000n }
    const failing = (...subscriptions: ChargedSubscription[]) =>
      effectOf([], { ...given, subscriptions }).shortfall?.failing
    expect(failing(charged(0, 10n), one, two)).toBe(two.id)
    expect(failing(one, two, charged(0, 10n))).toBe(NEW)
    const [own, other] = [charged(0, 201n), charged(1, 201n)]
    expect(failing(own, other)).toBe(NEW)
    expect(failing(other, own)).toBe(other.id)
  })

  it('names who fails sooner, in whatever order they are given', () => {
    const [own, other] = [charged(0, 120n), charged(1, 100n, 1, 20)]
    for (const subscriptions of [
      [own, other],
      [other, own],
    ]) {
      const before = { allowance: 10_000n, balance: 204n }
      expect(effectOf([], { before, approved: 10_000n, subscriptions }).shortfall).toMatchObject({
        failing: other.id,
        by: day('2025-01-20'),
      })
    }
  })

  it('names no one who is paid for ever', () => {
    const subscriptions = [charged(0, 0n), charged(1, 204n)]
    const before = { allowance: 10_000n, balance: 204n }
    expect(effectOf([], { before, approved: 10_000n, subscriptions }).shortfall).toMatchObject({
      failing: idOf(1),
      by: day('2025-01-15'),
    })
  })

  it('looks no further than the third charge', () => {
    expect(withBalance(34n, charged(1, 1_000n, 1, 16))).toBeNull()
  })
})

describe('a coverage', () => {
  const cover = (failsOn: number | null) => ({ ...ENDLESS, failsOn })

  it('is shortened where it fails sooner, or fails where it had no end', () => {
    const shortened = (before: number | null, after: number | null) =>
      isShortened({ before: cover(before), after: cover(after) })
    expect(shortened(null, 5)).toBe(true)
    expect(shortened(6, 5)).toBe(true)
    expect(shortened(5, 5)).toBe(false)
    expect(shortened(5, 6)).toBe(false)
    expect(shortened(5, null)).toBe(false)
    expect(shortened(null, null)).toBe(false)
  })
})
