import { neededAllowance } from '@remit/protocol/allowance'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import * as fc from 'fast-check'
import { type Address, type Hex, maxUint256, numberToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { type ApprovalRule, type ApprovalWish, approvalRule } from './ApprovalRule.ts'
import type { ChainTerms } from './ChainReads.ts'

const TOKEN: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SPENDER: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
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

const MONDAY_NOON = Date.UTC(2026, 2, 2, 12) / 1000
const weekly = {
  id: numberToHex(1, { size: 32 }),
  amount: 10n ** 19n,
  frequency: 0 as const,
  dueDay: 3,
  provider: zeroAddress,
  token: TOKEN,
  cancelled: false,
}

interface Facts {
  readonly terms?: ChainTerms
  readonly others?: readonly ChainTerms[]
  readonly decimals?: number
  readonly current?: bigint
  readonly timestamp?: number
  readonly nextUncheckedDay?: number
  readonly isStubborn?: boolean
}

function rule(facts: Facts, wish: Partial<ApprovalWish> = {}) {
  const { terms = weekly, others = [], decimals = 6, current = 0n, timestamp = MONDAY_NOON } = facts
  const { nextUncheckedDay = Math.floor(timestamp / 86_400), isStubborn = false } = facts
  const reads = {
    allowance: async () => current,
    subscribed: async () => [...others],
    settings: async () => ({ callerFee: 10_200n, nextUncheckedDay }),
    feeBalances: async (_: Address, ids: readonly Hex[]) => ids.map(() => 0n),
    dueList: async () => [],
    takesApproval: async () => !isStubborn,
  }
  const approving = { account: zeroAddress, contract: SPENDER, timestamp }
  return approvalRule(
    reads,
    approving,
    { terms, decimals },
    { approvalPeriods: 12, infiniteApproval: false, ...wish },
  )
}

const approved = ({ calls }: ApprovalRule) => calls.map(({ to, args }) => [to, ...args])

describe('an approval', () => {
  it('is what the service’s own rules propose, to the unit', async () => {
    await fc.assert(
      fc.asyncProperty(
        subscription,
        fc.array(subscription, { maxLength: 5 }),
        fc.constantFrom(6, 18, 20),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 20_000, max: 40_000 }),
        fc.integer({ min: -40, max: 2 }),
        async (terms, others, decimals, approvalPeriods, today, ahead) => {
          const timestamp = today * 86_400 + 43_200
          const nextUncheckedDay = today + ahead
          const charge = firstCharge({ terms, timestamp, callerFee: 10_200n, nextUncheckedDay })
          const firstChargeRaw = splitToRaw(charge, decimals).total
          const proposal = { subscription: terms, others, decimals, approvalPeriods, nextUncheckedDay }
          const { needed } = neededAllowance({ ...proposal, firstChargeRaw })
          const found = await rule(
            { terms, others, decimals, timestamp, nextUncheckedDay },
            { approvalPeriods },
          )
          expect(found.amount).toBe(needed)
          expect(approved(found)).toEqual(needed === 0n ? [] : [[TOKEN, SPENDER, needed]])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is the first charge and the periods, beside what the wallet’s others in the token take', async () => {
    // Two days of seven until Wednesday.
    expect((await rule({})).amount).toBe(122_857_142n)
    const other = { ...weekly, id: numberToHex(2, { size: 32 }) }
    const elsewhere = { ...other, id: numberToHex(3, { size: 32 }), token: zeroAddress }
    expect((await rule({ others: [weekly, other, elsewhere] })).amount).toBe(242_857_142n)
  })

  it('keeps the dates of the others where that is asked for', async () => {
    const other = { ...weekly, id: numberToHex(2, { size: 32 }) }
    const current = 1_040_000_000n
    const kept = await rule({ others: [other], current }, { keepCoverage: true, approvalPeriods: 1 })
    // The other one's two years of weeks, and as many of this one's.
    expect(kept.amount).toBe(current + 1_040_000_000n + 2_857_142n)
    expect(await rule({ others: [other], current }, { approvalPeriods: 1 })).toMatchObject({ calls: [] })
  })

  it('is none where the allowance lasts already, and is never lowered', async () => {
    expect(await rule({ current: 122_857_142n })).toMatchObject({ amount: 122_857_142n, calls: [] })
    expect(await rule({ current: 2n ** 255n }, { infiniteApproval: true })).toMatchObject({ calls: [] })
  })

  it('resets what is there only for a token that would not change it', async () => {
    const raise = [TOKEN, SPENDER, 122_857_142n]
    expect(approved(await rule({ current: 5n }))).toEqual([raise])
    expect(approved(await rule({ current: 5n, isStubborn: true }))).toEqual([[TOKEN, SPENDER, 0n], raise])
    expect(approved(await rule({ current: 0n, isStubborn: true }))).toEqual([raise])
  })

  it('is without end only where that is asked for, and never above the caller’s limit', async () => {
    expect((await rule({}, { infiniteApproval: true })).amount).toBe(maxUint256)
    expect((await rule({}, { maxApproval: 122_857_142n })).amount).toBe(122_857_142n)
    await expect(rule({}, { maxApproval: 122_857_141n })).rejects.toThrow('122857141 is the most allowed')
    await expect(rule({}, { infiniteApproval: true, maxApproval: 5n })).rejects.toThrow('the most allowed')
  })

  it.each([0, 121, 1.5, Number.NaN])('is refused for %s periods', async (approvalPeriods) => {
    await expect(rule({}, { approvalPeriods })).rejects.toThrow('1 to 120 can be asked for')
  })
})
