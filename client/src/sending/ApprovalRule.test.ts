import * as fc from 'fast-check'
import { type Address, type Hex, maxUint256, numberToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { neededAllowance } from '../../../src/protocol/allowance.ts'
import { toRaw } from '../../../src/protocol/amounts.ts'
import { keptAllowance } from '../../../src/protocol/keptAllowance.ts'
import { approvalRule } from './ApprovalRule.ts'
import type { ChainTerms } from './ChainReads.ts'

const TOKEN: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const LAST_DUE_DAYS = [7, 28, 90, 365]

const subscription = fc
  .record({
    id: fc.integer({ min: 1, max: 1_000_000 }).map((id): Hex => numberToHex(id, { size: 32 })),
    amount: fc.bigInt({ min: 1n, max: 10n ** 24n }),
    frequency: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    place: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  .map(({ place, ...terms }) => ({
    ...terms,
    dueDay: 1 + Math.floor(place * (LAST_DUE_DAYS[terms.frequency] ?? 1)),
    provider: zeroAddress,
    token: TOKEN,
    cancelled: false,
  }))

function rule(
  terms: ChainTerms,
  others: readonly ChainTerms[],
  decimals: number,
  approvalPeriods: number,
  { allowance = 0n, keepCoverage = false } = {},
) {
  const reads = { allowance: async () => allowance, subscribed: async () => [...others] }
  const wish = { approvalPeriods, infiniteApproval: false, keepCoverage }
  return approvalRule(reads, zeroAddress, zeroAddress, { terms, decimals }, wish)
}

describe('the bounds of an approval', () => {
  it('let everything through that an honest service proposes', async () => {
    await fc.assert(
      fc.asyncProperty(
        subscription,
        fc.array(subscription, { maxLength: 5 }),
        fc.constantFrom(6, 18, 20),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 20_000, max: 40_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (terms, others, decimals, approvalPeriods, nextUncheckedDay, part) => {
          const full = toRaw(terms.amount, decimals)
          const { needed } = neededAllowance({
            subscription: terms,
            others,
            decimals,
            approvalPeriods,
            nextUncheckedDay,
            firstChargeRaw: (full * BigInt(Math.floor(part * 1000))) / 1000n,
          })
          const { least, most } = await rule(terms, others, decimals, approvalPeriods)
          expect(needed).toBeGreaterThanOrEqual(least)
          expect(needed).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('let everything through that keeps the dates of the others', async () => {
    await fc.assert(
      fc.asyncProperty(
        subscription,
        fc.array(subscription, { maxLength: 5 }),
        fc.constantFrom(6, 18, 20),
        fc.double({ min: 0, max: 200, noNaN: true }),
        fc.integer({ min: 20_000, max: 40_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (terms, rows, decimals, periods, nextUncheckedDay, part) => {
          const others = [...new Map(rows.map((row) => [row.id, row])).values()].filter(
            ({ id }) => id !== terms.id,
          )
          const dearest = others.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))[0]?.amount ?? 0n
          const allowance = (toRaw(dearest, decimals) * BigInt(Math.floor(periods * 1000))) / 1000n
          const kept = keptAllowance({
            subscriptions: [terms, ...others].map((row) => ({ ...row, feeBalance: 0n })),
            id: terms.id,
            decimals,
            callerFee: 10_833n,
            nextUncheckedDay,
            allowance,
            firstChargeRaw: (toRaw(terms.amount, decimals) * BigInt(Math.floor(part * 1000))) / 1000n,
          })
          const { most } = await rule(terms, others, decimals, 1, { allowance, keepCoverage: true })
          if (kept > allowance) expect(kept).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 300 },
    )
  }, 30_000)

  it('let through a charge or two above what keeps the dates', async () => {
    const monthly = {
      amount: 10n ** 19n,
      frequency: 1,
      dueDay: 3,
      provider: zeroAddress,
      token: TOKEN,
    } as const
    const row = (id: number): ChainTerms => ({
      ...monthly,
      id: numberToHex(id, { size: 32 }),
      cancelled: false,
    })
    const allowance = 240_000_000n
    // Two years of the other one. This one takes 24 periods and its first charge beside them.
    const { most } = await rule(row(1), [row(2)], 6, 1, { allowance, keepCoverage: true })
    expect(most - allowance).toBeGreaterThanOrEqual(250_000_000n)
    expect(most - allowance).toBeLessThanOrEqual(290_000_000n)
  })

  it('let through no more than a period above what one subscription takes', async () => {
    const terms = { id: numberToHex(1, { size: 32 }), amount: 10n ** 19n, frequency: 0, dueDay: 3 }
    const weekly = { ...terms, provider: zeroAddress, token: TOKEN, cancelled: false } as const
    const other = { ...weekly, id: numberToHex(2, { size: 32 }), token: zeroAddress } as const
    expect(await rule(weekly, [weekly, other], 6, 12)).toMatchObject({
      least: 120_000_000n,
      most: 130_000_000n,
    })
    expect(await rule({ ...weekly, amount: maxUint256 }, [], 18, 12)).toMatchObject({ most: maxUint256 })
  })
})
