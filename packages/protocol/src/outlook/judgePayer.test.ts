import { getAddress, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { dayNumberOf } from '../calendar.ts'
import type { SeenCharge } from '../charges/ChargeSchedule.ts'
import type { Frequency } from '../subscription.ts'
import { type JudgedPayer, judgePayer } from './judgePayer.ts'

const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)
const addressOf = (number: number) => getAddress(numberToHex(number, { size: 20 }))
const [usdc, provider, account, contract] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)]
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const id = idOf(1)

/** Ten tokens. Weekly, they are due on Wednesdays from 2025-01-08 on; else on the 8th. */
const membership = (frequency: Frequency = 0, feeBalance = 10n ** 40n, number = 1) => ({
  terms: {
    id: idOf(number),
    provider,
    token: usdc,
    amount: 10n ** 19n,
    frequency,
    dueDay: frequency === 0 ? 3 : 8,
    cancelled: false,
  },
  feeBalance,
})

const judge = (
  given: Partial<JudgedPayer> = {},
  throughDay = day('2025-01-29'),
  nextUncheckedDay = day('2025-01-07'),
) => {
  const { memberships = [membership()] } = given
  return judgePayer(
    {
      account,
      memberships,
      dueOrder: memberships.map(({ terms }) => terms.id),
      token: { address: usdc, decimals: 6, paused: false },
      means: { allowance: null, balance: 10n ** 12n },
      ...given,
    },
    { contract, callerFee: 10_200n, nextUncheckedDay, throughDay },
  )
}

describe('what becomes of a membership', () => {
  it('is paid on each due day, and has its first one whole for the provider', () => {
    expect(judge().get(id)).toEqual({
      terms: membership().terms,
      feeBalance: expect.any(BigInt),
      firstDay: day('2025-01-08'),
      charges: 'PPPP',
      trouble: null,
      firstPaid: {
        dayNumber: day('2025-01-08'),
        chargesBefore: 0,
        transfers: [{ token: usdc, from: account, to: provider, amountRaw: 10_000_000n }],
      },
    })
  })

  it('ends with the charge that fails, by what is missing on that day', () => {
    const judged = judge({ means: { allowance: null, balance: 25_000_000n } }).get(id)
    expect(judged).toMatchObject({
      charges: 'PPX',
      trouble: {
        kind: 'balance',
        dayNumber: day('2025-01-22'),
        missingAllowance: 0n,
        missingBalance: 5_000_000n,
      },
    })
    const never = judge({ means: { allowance: 4_000_000n, balance: 3_000_000n } }).get(id)
    expect(never).toMatchObject({
      charges: 'X',
      firstDay: day('2025-01-08'),
      trouble: { kind: 'both', missingAllowance: 6_000_000n, missingBalance: 7_000_000n },
      firstPaid: null,
    })
  })

  it('fills the fee balance first where it holds no more than a fee', () => {
    const [transfer] = [{ token: usdc, from: account }]
    const firstOf = (frequency: Frequency) =>
      judge({ memberships: [membership(frequency, 0n)] }).get(id)?.firstPaid?.transfers
    // All of a weekly charge, and nothing is left to transfer.
    expect(firstOf(0)).toEqual([{ ...transfer, to: contract, amountRaw: 10_000_000n }])
    expect(firstOf(1)).toEqual([
      { ...transfer, to: contract, amountRaw: 2_500_000n },
      { ...transfer, to: provider, amountRaw: 7_500_000n },
    ])
    // A fee is 0.2 tokens: what fills it lasts for weeks.
    expect(judge({ memberships: [membership(0, 0n)] }).get(id)?.charges).toBe('FPPP')
    // Of two fees, the second is the last one, and is filled up.
    expect(judge({ memberships: [membership(0, 4n * 10n ** 17n)] }).get(id)?.charges).toBe('PFPP')
  })

  it('is passed over on each due day where its token is paused, whatever is missing', () => {
    const token = { address: usdc, decimals: 6, paused: true }
    const means = { allowance: null, balance: 0n }
    expect(judge({ token, means }).get(id)).toMatchObject({
      firstDay: day('2025-01-08'),
      charges: 'SSSS',
      trouble: null,
      firstPaid: null,
    })
  })

  it('has its first charge wherever it is, and none beyond what is looked at', () => {
    const yearly = {
      ...membership(3, undefined, 2),
      terms: { ...membership(3).terms, id: idOf(2), dueDay: 300 },
    }
    const judged = judge({ memberships: [membership(), yearly] })
    expect(judged.get(id)?.charges).toBe('PPPP')
    expect(judged.get(idOf(2))).toMatchObject({ firstDay: day('2025-10-27'), charges: 'P' })
    expect(judge({ memberships: [] }).size).toBe(0)
  })

  it('shares what the wallet has, in the order of the due list from its end', () => {
    const both = [membership(), membership(0, undefined, 2)]
    const means = { allowance: 10_000_000n, balance: null }
    const letters = (dueOrder: readonly Hex[]) =>
      [...judge({ memberships: both, means, dueOrder }).values()].map(({ charges }) => charges)
    expect(letters([id, idOf(2)])).toEqual(['X', 'PX'])
    expect(letters([idOf(2), id])).toEqual(['PX', 'X'])
  })
})

describe('what a simulation of remit has shown', () => {
  const seen = (hasFailed: boolean) => [{ id, hasFailed }]
  const lettersOf = (chargesOn: (dayNumber: number) => readonly SeenCharge[] | undefined) =>
    judge({ chargesOn }).get(id)?.charges

  it('has a letter of its own for a charge that is skipped', () => {
    expect(lettersOf(() => undefined)).toBe('PPPP')
    expect(
      lettersOf((at) => (at === day('2025-01-15') ? [] : at < day('2025-01-20') ? seen(false) : undefined)),
    ).toBe('PSPP')
  })

  it('drops a payer where it was seen to, although the rules let it pay', () => {
    const chargesOn = (at: number) =>
      at === day('2025-01-15') ? seen(true) : at < day('2025-01-15') ? seen(false) : []
    expect(judge({ chargesOn }).get(id)).toMatchObject({
      charges: 'PX',
      trouble: {
        kind: 'balance',
        dayNumber: day('2025-01-15'),
        missingAllowance: 0n,
        missingBalance: 0n,
      },
    })
    expect(
      lettersOf((at) => (at === day('2025-01-08') ? [] : at === day('2025-01-15') ? seen(true) : [])),
    ).toBe('SX')
  })

  it('takes from the balance what the token was seen to take', () => {
    const means = { allowance: 20_000_000n, balance: 20_000_000n }
    const chargesOn = () => [{ id, hasFailed: false, taken: 11_000_000n }]
    expect(judge({ means, chargesOn }).get(id)).toMatchObject({
      charges: 'PX',
      trouble: { kind: 'balance', missingBalance: 1_000_000n },
    })
  })

  it('counts where it drops a payer whom the rules drop too', () => {
    const means = { allowance: null, balance: 15_000_000n }
    const chargesOn = (at: number) => (at < day('2025-01-15') ? seen(false) : seen(true))
    expect(judge({ means, chargesOn }).get(id)?.charges).toBe('PX')
  })

  it('is nothing, soon, where the administrator has set the contract to a moment in place of a day', () => {
    expect(judge({}, day('2025-01-29'), 1_772_409_600).get(id)).toMatchObject({ firstDay: null, charges: '' })
  })

  it('is of this membership alone', () => {
    const both = [membership(), membership(0, undefined, 2)]
    const chargesOn = () => [
      { id: idOf(2), hasFailed: false },
      { id, hasFailed: false },
    ]
    const first = (at: number) =>
      at === day('2025-01-15') ? [{ id: idOf(2), hasFailed: true }] : chargesOn()
    const letters = (on: (at: number) => readonly SeenCharge[]) =>
      [...judge({ memberships: both, chargesOn: on }).values()].map(({ charges }) => charges)
    expect(letters(chargesOn)).toEqual(['PPPP', 'PPPP'])
    // On the second day the other one alone was seen.
    expect(letters(first)).toEqual(['PSPP', 'PX'])
  })
})
