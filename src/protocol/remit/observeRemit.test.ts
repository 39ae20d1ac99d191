import { type Address, getAddress, type Hex, numberToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeLog } from '../../../test/support/models/encodeLog.ts'
import {
  called,
  drop,
  idOf,
  moves,
  other,
  payer,
  period,
  RAW,
  sub,
  UNIT,
  usdc,
  walking,
} from '../../../test/support/models/paymentLogs.ts'
import type { EncodedLog } from '../logs/events.ts'
import { observeCharges } from './observeCharges.ts'
import { observeRemit } from './observeRemit.ts'

const address = (number: number) => getAddress(numberToHex(number, { size: 20 }))
const [contract, token, provider, system] = [address(1), address(2), address(3), address(4)]
const [caller, ann, bob] = [address(5), address(6), address(7)]
const ID: Hex = numberToHex(9, { size: 32 })
const DAY = 20_000
const [PROVPAID, FAILED, PROVREFUND, SUBPAID, UNSUBSCRIBED] = [2, 3, 4, 5, 7]

const subLog = (subscriber: Address, subScriptEvent: number): EncodedLog =>
  encodeLog(contract, 'SubLog', {
    id: ID,
    provider,
    subscriber,
    timestamp: DAY * 86_400,
    amount: 5n,
    token,
    subScriptEvent,
  })

const coordinates = (subscriberIndex: bigint): EncodedLog =>
  encodeLog(contract, 'Coordinates', {
    id: ID,
    subscriberIndex,
    subscriptionIndex: 4n,
    frequency: 1n,
    nextUncheckedDay: DAY,
  })

const callerLog = (checkedDay: number, isFinished: boolean): EncodedLog =>
  encodeLog(contract, 'CallerLog', { timestamp: DAY * 86_400, checkedDay, caller, isFinished })

const transfer = (from: Address, to: Address, value: bigint): EncodedLog =>
  encodeLog(token, 'Transfer', { from, to, value })

/** One paid period, then the fees. A token may keep 1 of each transfer, and logs it behind or before what arrives. */
function withFees({ kept, isBehind = true, share }: { kept?: Address; isBehind?: boolean; share?: bigint }) {
  const sent = (from: Address, to: Address, value: bigint) => {
    const own = kept === undefined ? [] : [transfer(from, kept, 1n)]
    return isBehind ? [transfer(from, to, value), ...own] : [...own, transfer(from, to, value)]
  }
  return [
    coordinates(2n),
    subLog(ann, SUBPAID),
    subLog(ann, PROVPAID),
    ...sent(ann, provider, 100n),
    subLog(bob, PROVREFUND),
    ...sent(contract, provider, 40n),
    subLog(bob, UNSUBSCRIBED),
    subLog(bob, FAILED),
    coordinates(1n),
    ...(share === undefined ? [] : sent(contract, system, share)),
    ...sent(contract, caller, 9n),
    callerLog(DAY, true),
  ]
}

describe('a call of remit', () => {
  it('is read from its logs: the empty days before, who paid, who failed, and the fees alone', () => {
    const logs = [
      callerLog(DAY - 1, true),
      coordinates(2n),
      subLog(ann, SUBPAID),
      subLog(ann, PROVPAID),
      transfer(ann, provider, 100n),
      subLog(bob, PROVREFUND),
      // A dropped subscriber's rest is no fee, although the contract pays it.
      transfer(contract, provider, 40n),
      subLog(bob, UNSUBSCRIBED),
      subLog(bob, FAILED),
      coordinates(1n),
      transfer(contract, system, 1n),
      transfer(contract, caller, 9n),
      callerLog(DAY, false),
    ]
    expect(observeRemit(logs, contract)).toEqual({
      dayNumber: DAY,
      emptyDays: 1,
      finished: false,
      charges: [
        { id: ID, subscriber: ann, dayNumber: DAY, outcome: 'paid', taken: 100n },
        { id: ID, subscriber: bob, dayNumber: DAY, outcome: 'failed', taken: 0n },
      ],
      first: {
        type: 'Coordinates',
        id: ID,
        subscriberPosition: 2,
        subscriptionPosition: 4,
        frequency: 1,
        nextUncheckedDay: DAY,
        log: logs[1],
      },
      fees: [
        { token, from: contract, to: system, amountRaw: 1n },
        { token, from: contract, to: caller, amountRaw: 9n },
      ],
    })
  })

  it('is nothing where the contract closed no day', () => {
    expect(observeRemit([transfer(contract, caller, 9n)], contract)).toBeUndefined()
    expect(observeRemit([{ ...callerLog(DAY, true), address: token }], contract)).toBeUndefined()
  })

  describe('in a token that takes a fee', () => {
    const toCaller = { token, from: contract, to: caller, amountRaw: 9n }
    const collector = address(8)
    const orders = [zeroAddress, collector].flatMap((kept) => [
      { kept, isBehind: true },
      { kept, isBehind: false },
    ])

    it.each(orders)('has the caller’s fee alone where the system takes no share: %o', (order) => {
      expect(observeRemit(withFees(order), contract)?.fees).toEqual([toCaller])
    })

    it.each(orders)('has the system’s share before it where the system takes one: %o', (order) => {
      for (const amountRaw of [2n, 0n]) {
        expect(observeRemit(withFees({ ...order, share: amountRaw }), contract)?.fees).toEqual([
          { token, from: contract, to: system, amountRaw },
          toCaller,
        ])
      }
    })
  })

  it('has both fees where the caller receives the system’s share, and those of 0 where a page ends', () => {
    const logs = [
      ...withFees({}).slice(0, -2),
      transfer(contract, caller, 1n),
      transfer(contract, caller, 9n),
      transfer(contract, system, 0n),
      transfer(contract, caller, 0n),
      callerLog(DAY, false),
    ]
    const fees = observeRemit(logs, contract)?.fees.map(({ to, amountRaw }) => [to, amountRaw])
    expect(fees).toEqual([
      [caller, 1n],
      [caller, 9n],
      [system, 0n],
      [caller, 0n],
    ])
  })
})

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
