import { encodeLog } from '@remit/testing/support/models/encodeLog'
import { type Address, getAddress, type Hex, numberToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { EncodedLog } from '../logs/events.ts'
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
