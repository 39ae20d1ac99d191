import type { GetAccountOutlookAnswer } from '@remit/client'
import { expect, it } from 'vitest'
import { extensionsOf, periodsThrough } from './extensions.ts'
import type { Membership } from './memberships.ts'

const TOKEN = { address: '0x11', decimals: 6 }
/** A Thursday, on which nothing is collected yet. */
const TODAY = 20_783
const weekly = { id: '0xWEEK', token: TOKEN, amountRaw: 12_500_000n, frequency: 0, dueDay: 4 }
const monthly = { ...weekly, id: '0xMONTH', frequency: 1, dueDay: 20 }
const plan = { frequency: 0 } as const

// Safe: it is all that the choices are made of.
const drawsOn = (allowanceRaw: bigint, plans = [weekly]) => {
  const row = { token: TOKEN, allowance: { amountRaw: allowanceRaw } }
  return {
    token: TOKEN,
    rows: plans.map((subscription) => ({ subscription })),
    outlook: {
      wallet: { tokens: [row] },
      remit: { nextUncheckedDay: { dayNumber: TODAY } },
    },
  } as unknown as {
    readonly token: Membership['subscription']['token']
    readonly rows: readonly Membership[]
    readonly outlook: GetAccountOutlookAnswer
  }
}

it('offers more payments than the permission does for, and never as many', () => {
  const thirteenth = TODAY + 12 * 7
  expect(periodsThrough(plan, thirteenth, drawsOn(150_000_000n))).toBe(24)
  expect(periodsThrough(plan, thirteenth - 7, drawsOn(137_500_000n))).toBe(12)
})

it('offers nothing where the permission does for the most payments, or none of them reaches the day', () => {
  const { outlook, ...draws } = drawsOn(60n * 12_500_000n)
  expect(periodsThrough(plan, TODAY, { outlook, ...draws })).toBeUndefined()
  expect(periodsThrough(plan, TODAY + 60 * 7, drawsOn(0n))).toBeUndefined()
  const [row] = outlook.wallet.tokens
  const plans = draws.rows.map(({ subscription }) => subscription)
  expect(row && extensionsOf({ row, plans, nextUncheckedDay: TODAY })).toEqual([])
})

it('proposes for a weekly plan what lasts some months, and not a year beside one that pays monthly', () => {
  const draws = drawsOn(0n, [weekly, monthly])
  expect(periodsThrough(plan, TODAY, draws)).toBe(3)
  expect(periodsThrough({ frequency: 1 }, TODAY, draws)).toBe(12)
})
