import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { FREQUENCIES } from '../subscription.ts'
import { ChargeAmounts, type ChargedSubscription, decideCharge } from './decideCharge.ts'

const fees = { decimals: 6, callerFee: 10_200n }
const UNLIMITED = { allowance: null, balance: null }

const charged = (given: Partial<ChargedSubscription> = {}): ChargedSubscription => ({
  id: numberToHex(1, { size: 32 }),
  amount: 10n ** 19n,
  frequency: 1,
  dueDay: 1,
  feeBalance: 0n,
  ...given,
})

/** The same charges, made one by one. */
function oneByOne(subscription: ChargedSubscription, by: typeof fees, charges: number) {
  let [taken, { feeBalance }] = [0n, subscription]
  for (let charge = 0; charge < charges; charge += 1) {
    const made = decideCharge({ ...subscription, feeBalance }, by, UNLIMITED)
    taken += made.toFeeBalance + made.toProvider
    feeBalance = made.feeBalance
  }
  return { taken, feeBalance }
}

const someSubscription = fc.record({
  frequency: fc.constantFrom(...FREQUENCIES),
  // Down to amounts of which a twelfth is nothing.
  amount: fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.bigInt({ min: 0n, max: 60n * 10n ** 12n })),
  feePart: fc.integer({ min: 0, max: 1_000 }),
})
const someFees = fc.record({
  decimals: fc.constantFrom(6, 18, 20),
  callerFee: fc.integer({ min: 10_000, max: 10_833 }).map(BigInt),
})

describe('many charges at once', () => {
  it('take and leave what they do one by one', () => {
    fc.assert(
      fc.property(someSubscription, someFees, fc.nat(60), ({ feePart, ...given }, by, charges) => {
        const subscription = charged({ ...given, feeBalance: (given.amount * BigInt(feePart)) / 1_000n })
        const amounts = new ChargeAmounts(subscription, by)
        expect(amounts.after(charges)).toEqual(oneByOne(subscription, by, charges))
      }),
      { numRuns: 1_000 },
    )
  })

  it('fill the fee balance where it holds exactly one fee, and not where it holds more', () => {
    // 2 percent of 10 tokens is a fee; a quarter of them fills the balance.
    const fee = 2n * 10n ** 17n
    const leftOf = (feeBalance: bigint) =>
      new ChargeAmounts(charged({ feeBalance }), fees).after(1).feeBalance
    expect(leftOf(fee)).toBe(25n * 10n ** 17n)
    expect(leftOf(fee + 1n)).toBe(1n)
  })

  it('are none where nothing is charged', () => {
    const feeBalance = 7n
    expect(new ChargeAmounts(charged({ feeBalance }), fees).after(0)).toEqual({ taken: 0n, feeBalance })
  })
})
