import type { GetAccountOutlookAnswer } from '@remit/client'
import { expect, it } from 'vitest'
import { extensionsOf, periodsThrough } from './extensions.ts'
import type { Membership } from './memberships.ts'

const TOKEN = { address: '0x11', decimals: 6 }
/** A Thursday, on which nothing is collected yet. */
const TODAY = 20_783
const weekly = { id: '0xWEEK', token: TOKEN, amountRaw: 12_500_000n, frequency: 0, dueDay: 4 }

// Safe: it is all that the choices are made of.
const drawsOn = (allowanceRaw: bigint) => {
  const row = { token: TOKEN, allowance: { amountRaw: allowanceRaw } }
  return {
    token: TOKEN,
    rows: [{ subscription: weekly }],
    outlook: { wallet: { tokens: [row] }, remit: { nextUncheckedDay: { dayNumber: TODAY } } },
  } as unknown as {
    readonly token: Membership['subscription']['token']
    readonly rows: readonly Membership[]
    readonly outlook: GetAccountOutlookAnswer
  }
}

it('offers more payments than the permission does for, and never as many', () => {
  const thirteenth = TODAY + 12 * 7
  expect(periodsThrough(thirteenth, drawsOn(150_000_000n))).toBe(24)
  expect(periodsThrough(thirteenth - 7, drawsOn(137_500_000n))).toBe(12)
})

it('offers nothing where the permission does for the most payments, or none of them reaches the day', () => {
  const { outlook, ...draws } = drawsOn(60n * 12_500_000n)
  expect(periodsThrough(TODAY, { outlook, ...draws })).toBeUndefined()
  expect(periodsThrough(TODAY + 60 * 7, drawsOn(0n))).toBeUndefined()
  const [row] = outlook.wallet.tokens
  const plans = draws.rows.map(({ subscription }) => subscription)
  expect(row && extensionsOf({ row, plans, nextUncheckedDay: TODAY })).toEqual([])
})
