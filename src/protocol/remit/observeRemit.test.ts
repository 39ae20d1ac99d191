import { type Address, getAddress, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeLog } from '../../../test/support/models/encodeLog.ts'
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
        { id: ID, subscriber: ann, dayNumber: DAY, outcome: 'paid' },
        { id: ID, subscriber: bob, dayNumber: DAY, outcome: 'failed' },
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
})
