import {
  called,
  caller,
  contract,
  DAY,
  drop,
  idOf,
  moves,
  other,
  payer,
  period,
  provider,
  RAW,
  sub,
  UNIT,
  usdc,
  walking,
} from '@remit/testing/support/models/paymentLogs'
import { type Address, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { observeCharges } from './observeRemit.ts'

const paid = {
  id: idOf(1),
  subscriber: payer,
  token: usdc,
  outcome: 'paid',
  toFeeBalance: 0n,
  taken: 10n * RAW,
} as const
const filled = { ...paid, outcome: 'feeFill' } as const
const failed = { ...paid, outcome: 'failed', taken: 0n } as const
const collector = other

/** A fill of which the provider gets a part. */
const fill = (behindFill = [moves(payer, contract, 3n)], behindPaid = [moves(payer, provider, 9n)]) => [
  walking(DAY - 1),
  sub('FeeFilled', 10n * UNIT),
  ...behindFill,
  sub('ProviderPaid', 10n * UNIT),
  ...behindPaid,
]

/** What a token logs that keeps 1 of what is sent, behind or before what arrives. */
const lessOne = (from: Address, to: Address, arrived: bigint, kept: Address = zeroAddress) => ({
  behind: [moves(from, to, arrived), moves(from, kept, 1n)],
  before: [moves(from, kept, 1n), moves(from, to, arrived)],
})

describe('the charges of a call', () => {
  it('have the transfers that the contract made for them', () => {
    const logs = [...period(), ...fill(), ...drop(), moves(contract, caller, 9n), called()]
    expect(observeCharges(logs, contract)).toEqual([
      { ...paid, toProvider: 10n * RAW },
      { ...filled, toFeeBalance: 3n, toProvider: 9n, taken: 12n },
      { ...failed, toProvider: 3n * RAW },
    ])
  })

  it('of a weekly fill go to the fee balance alone', () => {
    const logs = [walking(DAY - 1), sub('FeeFilled', 10n * UNIT), moves(payer, contract, 10n * RAW), called()]
    expect(observeCharges(logs, contract)).toEqual([{ ...filled, toFeeBalance: 10n * RAW, toProvider: 0n }])
  })

  it('of a drop without a refund moved nothing', () => {
    expect(observeCharges([...drop().slice(2), called()], contract)).toEqual([{ ...failed, toProvider: 0n }])
  })

  it.each([zeroAddress, collector])('leave out what the token keeps for %s', (kept) => {
    for (const order of ['behind', 'before'] as const) {
      const [begin, steps, end] = [period().slice(0, 3), drop().slice(2), called()]
      const logs = [
        ...begin,
        ...lessOne(payer, provider, 99n, kept)[order],
        ...fill(lessOne(payer, contract, 2n, kept)[order], lessOne(payer, provider, 8n, kept)[order]),
        sub('ProviderRefunded', 3n * UNIT),
        ...lessOne(contract, provider, 5n, kept)[order],
        ...steps,
        ...lessOne(contract, caller, 7n, kept)[order],
        end,
      ]
      expect(observeCharges(logs, contract), order).toEqual([
        { ...paid, toProvider: 99n, taken: 100n },
        { ...filled, toFeeBalance: 2n, toProvider: 8n, taken: 12n },
        { ...failed, toProvider: 5n },
      ])
    }
  })

  it('leave out what another token moves meanwhile', () => {
    const logs = [...period(), moves(payer, provider, 5n, other), called()]
    expect(observeCharges(logs, contract)).toEqual([{ ...paid, toProvider: 10n * RAW }])
  })

  it('leave open what the token does not log, and never take another transfer for it', () => {
    const logs = [
      ...period().slice(0, 3),
      moves(payer, collector, 1n),
      ...fill([], []),
      sub('ProviderRefunded', 3n * UNIT),
      moves(contract, collector, 1n),
      ...drop().slice(2),
      called(),
    ]
    expect(observeCharges(logs, contract)).toEqual([
      { ...paid, toProvider: undefined, taken: undefined },
      { ...filled, toFeeBalance: undefined, toProvider: undefined, taken: undefined },
      { ...failed, toProvider: undefined },
    ])
  })

  it('give a refund to the subscriber that it names', () => {
    const logs = [
      sub('ProviderRefunded', 3n * UNIT),
      moves(contract, provider, 3n),
      ...drop(idOf(1), other).slice(2),
    ]
    expect(observeCharges(logs, contract)).toEqual([{ ...failed, subscriber: other, toProvider: 0n }])
  })
})
