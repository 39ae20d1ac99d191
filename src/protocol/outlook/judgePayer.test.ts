import { getAddress, type Hex, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { dayNumberOf } from '../calendar.ts'
import { judgePayer, type SeenCharge } from './judgePayer.ts'

const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)
const [usdc, provider, payer, contract] = [1, 2, 3, 4].map((n) => getAddress(numberToHex(n, { size: 20 })))
const id: Hex = numberToHex(1, { size: 32 })

/** The letters of a weekly membership, due on Wednesdays from 2025-01-08 on. */
function lettersOf(chargesOn: (dayNumber: number) => readonly SeenCharge[] | undefined) {
  if (!usdc || !provider || !payer || !contract) throw new Error('four addresses')
  const terms = {
    id,
    provider,
    token: usdc,
    amount: 10n ** 19n,
    frequency: 0,
    dueDay: 3,
    cancelled: false,
  } as const
  const judged = judgePayer(
    {
      account: payer,
      // Never short of a fee.
      memberships: [{ terms, feeBalance: 10n ** 40n }],
      dueOrder: [id],
      token: { address: usdc, decimals: 6, paused: false },
      means: { allowance: null, balance: 10n ** 12n },
      chargesOn,
    },
    { contract, callerFee: 10_200n, nextUncheckedDay: day('2025-01-07'), throughDay: day('2025-01-29') },
  )
  return judged.get(id)?.charges
}

const seen = (hasFailed: boolean) => [{ id, hasFailed }]

it('has a letter of its own for a charge that remit was seen to skip', () => {
  expect(lettersOf(() => undefined)).toBe('PPPP')
  expect(
    lettersOf((at) => (at === day('2025-01-15') ? [] : at < day('2025-01-20') ? seen(false) : undefined)),
  ).toBe('PSPP')
})

it('believes a simulation no further than to where it drops a payer whom the rules let pay', () => {
  expect(
    lettersOf((at) => (at === day('2025-01-15') ? seen(true) : at < day('2025-01-15') ? seen(false) : [])),
  ).toBe('PPPP')
  expect(
    lettersOf((at) => (at === day('2025-01-08') ? [] : at === day('2025-01-15') ? seen(true) : [])),
  ).toBe('SPPP')
})
