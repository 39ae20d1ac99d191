import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  getAddress,
  type Hex,
  numberToHex,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { ISubscriptions } from '../../../contracts/generated/ISubscriptions.ts'
import type { EncodedLog } from '../logs/events.ts'
import { SUBSCRIPT_EVENTS, type SubscriptEventName } from '../logs/subscriptEvent.ts'
import { matchPayments } from './matchPayments.ts'

const { abi } = ISubscriptions
const addressOf = (number: number): Address => getAddress(numberToHex(number, { size: 20 }))
const [contract, usdc, provider, payer, caller, system] = [
  addressOf(0xc0de),
  addressOf(0xc0),
  addressOf(0xa1),
  addressOf(0xb2),
  addressOf(0xca),
  addressOf(0x5e),
]
const other = addressOf(0xb3)
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const DAY = 20_000
const TIMESTAMP = DAY * 86_400 + 7
/** A whole token in protocol units, and in raw ones. */
const [UNIT, RAW] = [10n ** 18n, 1_000_000n]

type Log = Omit<EncodedLog, 'topics'> & { readonly topics: Hex[] }
const topicsOf = (topics: readonly (Hex | Hex[] | null)[]): Hex[] =>
  topics.filter((topic): topic is Hex => typeof topic === 'string')

function sub(name: SubscriptEventName, amount = 0n, id = idOf(1), subscriber: Address = payer): Log {
  const number = SUBSCRIPT_EVENTS.findIndex((event) => event.name === name)
  return {
    address: contract,
    topics: topicsOf(encodeEventTopics({ abi, eventName: 'SubLog', args: { id, provider, subscriber } })),
    data: encodeAbiParameters(
      [{ type: 'uint40' }, { type: 'uint256' }, { type: 'address' }, { type: 'uint8' }],
      [TIMESTAMP, amount, usdc, number],
    ),
  }
}

const moves = (from: Address, to: Address, amountRaw: bigint, token = usdc): Log => ({
  address: token,
  topics: topicsOf(encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } })),
  data: encodeAbiParameters([{ type: 'uint256' }], [amountRaw]),
})

/** Remit says where it is: before a payment, and behind a drop. */
const walking = (nextUncheckedDay: number, id = idOf(1)): Log => ({
  address: contract,
  topics: topicsOf(encodeEventTopics({ abi, eventName: 'Coordinates', args: { id, nextUncheckedDay } })),
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }], [1n, 1n, 1n]),
})

const called = (by: Address = caller): Log => ({
  address: contract,
  topics: topicsOf(
    encodeEventTopics({
      abi,
      eventName: 'CallerLog',
      args: { timestamp: TIMESTAMP, checkedDay: DAY, caller: by },
    }),
  ),
  data: encodeAbiParameters([{ type: 'bool' }], [true]),
})

const created: Log = sub('Created', 10n * UNIT)
const approval: Log = {
  address: usdc,
  topics: topicsOf(
    encodeEventTopics({ abi: erc20Abi, eventName: 'Approval', args: { owner: payer, spender: contract } }),
  ),
  data: encodeAbiParameters([{ type: 'uint256' }], [9n]),
}

const paymentsOf = (logs: readonly Log[], decimals: number | undefined = 6) =>
  matchPayments(
    logs.map((log, place) => ({ ...log, logIndex: 10 + place })),
    contract,
    () => decimals,
  )

const NOTHING = { toProvider: 0n, toFeeBalance: 0n, toSubscriber: 0n, callerFee: 0n, systemShare: 0n }
const payment = {
  ...NOTHING,
  subscriptionId: idOf(1),
  provider,
  subscriber: payer,
  token: usdc,
  period: 10n * UNIT,
  dayNumber: DAY,
  timestamp: TIMESTAMP,
  isStated: true,
}

/** One period that remit takes. */
const period = (id = idOf(1), subscriber = payer): Log[] => [
  walking(DAY - 1, id),
  sub('SubscriberPaid', 10n * UNIT, id, subscriber),
  sub('ProviderPaid', 10n * UNIT, id, subscriber),
  moves(subscriber, provider, 10n * RAW),
]
const drop = (id = idOf(1), subscriber = payer, refund = 3n): Log[] => [
  sub('ProviderRefunded', refund * UNIT, id, subscriber),
  moves(contract, provider, refund * RAW),
  sub('Unsubscribed', 10n * UNIT, id, subscriber),
  sub('Failed', 0n, id, subscriber),
  walking(DAY - 1, id),
]
const feesOf = (logs: readonly Log[]) =>
  paymentsOf(logs).map(({ callerFee, systemShare }) => [Number(callerFee), Number(systemShare)])

describe('the payments of a transaction', () => {
  it('are none where nothing of a subscription happens', () => {
    expect(paymentsOf([])).toEqual([])
    expect(paymentsOf([moves(payer, contract, 5n), created, approval, walking(DAY), called()])).toEqual([])
  })

  it('have the first charge: what goes into the fee balance, and the rest', () => {
    const begin = [sub('Subscribed', 10n * UNIT), sub('FeeFilled', 2n * UNIT), approval]
    const filled = moves(payer, contract, 2n * RAW)
    const rest = [sub('ProviderPaid', 3n * UNIT), moves(payer, provider, 3n * RAW)]
    const first = { ...payment, kind: 'firstCharge', toFeeBalance: 2n * RAW, logIndex: 10 }
    expect(paymentsOf([...begin, filled])).toEqual([{ ...first, lastLogIndex: 13 }])
    expect(paymentsOf([...begin, filled, ...rest])).toEqual([
      { ...first, toProvider: 3n * RAW, lastLogIndex: 15 },
    ])
  })

  it('have a period on the day that remit was walking', () => {
    expect(paymentsOf([called(), ...period()])).toEqual([
      {
        ...payment,
        kind: 'period',
        dayNumber: DAY - 1,
        toProvider: 10n * RAW,
        logIndex: 12,
        lastLogIndex: 14,
      },
    ])
  })

  it('have a fee fill, of which the part that went to the provider is logged, or nothing for a weekly one', () => {
    const fill = [walking(DAY - 1), sub('FeeFilled', 10n * UNIT)]
    const monthly = [
      moves(payer, contract, 25n),
      sub('ProviderPaid', 7n * UNIT),
      moves(payer, provider, 7n * RAW),
    ]
    const filled = { ...payment, kind: 'feeFill', dayNumber: DAY - 1, logIndex: 11 }
    expect(paymentsOf([...fill, ...monthly])).toEqual([
      { ...filled, toFeeBalance: 25n, toProvider: 7n * RAW, lastLogIndex: 14 },
    ])
    expect(paymentsOf([...fill, moves(payer, contract, 10n * RAW), called()])).toEqual([
      { ...filled, toFeeBalance: 10n * RAW, lastLogIndex: 12 },
    ])
    // Of a weekly one the log states the whole.
    expect(paymentsOf([...fill, moves(payer, contract, 9n * RAW), called()])).toMatchObject([
      { isStated: false },
    ])
  })

  it('have a drop with what the provider gets of the fee balance, at the price that the second log states', () => {
    expect(paymentsOf(drop())).toEqual([
      {
        ...payment,
        kind: 'dropped',
        dayNumber: DAY - 1,
        toProvider: 3n * RAW,
        logIndex: 10,
        lastLogIndex: 14,
      },
    ])
    const [refund, moved] = drop()
    if (refund === undefined || moved === undefined) throw new Error('a drop begins with two logs')
    expect(paymentsOf([refund, moved])).toMatchObject([
      { kind: 'dropped', period: 3n * UNIT, dayNumber: DAY },
    ])
  })

  it('have a drop without a fee balance', () => {
    expect(paymentsOf(drop().slice(2))).toEqual([
      { ...payment, kind: 'dropped', dayNumber: DAY - 1, logIndex: 10, lastLogIndex: 12 },
    ])
  })

  it('have who left, who was removed, and who was cleaned up', () => {
    const unsubscribed = sub('Unsubscribed', 10n * UNIT)
    const left = [unsubscribed, sub('ProviderRefunded', 3n * UNIT), moves(contract, provider, 3n * RAW)]
    expect(paymentsOf(left)).toEqual([
      { ...payment, kind: 'left', toProvider: 3n * RAW, logIndex: 10, lastLogIndex: 12 },
    ])
    const removed = [unsubscribed, moves(contract, payer, 4n)]
    expect(paymentsOf(removed)).toEqual([
      { ...payment, kind: 'removed', toSubscriber: 4n, logIndex: 10, lastLogIndex: 11 },
    ])
    // It states a whole period, whatever is paid.
    const cleaned = [unsubscribed, sub('SubscriberRefunded', 10n * UNIT), moves(contract, payer, 4n)]
    expect(paymentsOf(cleaned)).toEqual([
      { ...payment, kind: 'cleanedUp', toSubscriber: 4n, logIndex: 10, lastLogIndex: 12 },
    ])
  })

  it('belong together only where the subscription and the subscriber are the same', () => {
    const [from] = period()
    const paid = sub('ProviderPaid', 10n * UNIT, idOf(1), other)
    if (from === undefined) throw new Error('a period begins with a log')
    const logs = [from, sub('SubscriberPaid', 10n * UNIT), paid, moves(payer, provider, 10n * RAW)]
    expect(paymentsOf(logs)).toMatchObject([
      { kind: 'period', isStated: false, toProvider: 0n, lastLogIndex: 11 },
    ])
    const ofAnother = sub('ProviderPaid', 10n * UNIT, idOf(2))
    expect(paymentsOf([sub('SubscriberPaid', 10n * UNIT), ofAnother])).toMatchObject([{ isStated: false }])
  })
})

describe('what a payment moved', () => {
  const paid = (...behind: Log[]) => [...period().slice(0, 3), ...behind]

  it('is not stated where the token logs nothing, less, or something else', () => {
    expect(paymentsOf(paid())).toMatchObject([{ isStated: false, toProvider: 0n, lastLogIndex: 12 }])
    expect(paymentsOf(paid(moves(payer, provider, 10n * RAW - 1n)))).toMatchObject([
      { isStated: false, toProvider: 10n * RAW - 1n },
    ])
    for (const wrong of [
      moves(payer, provider, 10n * RAW, other),
      moves(other, provider, 10n * RAW),
      moves(payer, other, 10n * RAW),
    ]) {
      expect(paymentsOf(paid(wrong))).toMatchObject([{ isStated: false, toProvider: 0n }])
      expect(paymentsOf(paid(wrong, moves(payer, provider, 10n * RAW)))).toMatchObject([
        { isStated: true, toProvider: 10n * RAW, lastLogIndex: 14 },
      ])
    }
  })

  it('is believed where the token has no decimals in the contract', () => {
    expect(
      matchPayments(
        period().map((log, logIndex) => ({ ...log, logIndex })),
        contract,
        () => undefined,
      ),
    ).toMatchObject([{ isStated: true, toProvider: 10n * RAW }])
  })

  it('is not stated where a first charge logs no amount', () => {
    expect(paymentsOf([sub('Subscribed', 10n * UNIT), moves(payer, contract, 5n)])).toMatchObject([
      { kind: 'firstCharge', isStated: false, toFeeBalance: 0n },
    ])
  })
})

describe('the fees of a transaction', () => {
  const fee = (raw: bigint, to = caller) => moves(contract, to, raw)

  it('are divided among the charges that paid them, and the last one has the rest', () => {
    expect(feesOf([...period(), ...period(idOf(1), other), fee(7n), called()])).toEqual([
      [3, 0],
      [4, 0],
    ])
  })

  it('have the system’s share first, where it is on, also where both go to the caller', () => {
    expect(feesOf([...period(), fee(2n, system), fee(5n), called()])).toEqual([[5, 2]])
    expect(feesOf([...period(), fee(2n), fee(5n), called()])).toEqual([[5, 2]])
    // Behind it, the fee of a page that ends there: nothing.
    expect(feesOf([...period(), fee(5n), fee(0n), called()])).toEqual([[5, 0]])
    expect(feesOf([...period(), fee(2n, system), called()])).toEqual([[0, 2]])
    expect(feesOf([...period(), fee(2n, system), fee(1n, other), fee(5n), called()])).toEqual([[5, 2]])
  })

  it('are of the subscription that they stand behind', () => {
    const two = [...period(), fee(4n), ...period(idOf(2)), ...period(idOf(2), other), fee(6n), called()]
    expect(feesOf(two)).toEqual([
      [4, 0],
      [3, 0],
      [3, 0],
    ])
    // What was not paid behind its last charge stays in the contract.
    expect(feesOf([...period(), ...period(idOf(2)), fee(6n), called()])).toEqual([
      [0, 0],
      [6, 0],
    ])
  })

  it('stay in the contract where remit ends before they are paid', () => {
    expect(feesOf([...period(), called(), ...period(), fee(6n), called()])).toEqual([
      [0, 0],
      [6, 0],
    ])
  })

  it('are paid by a drop that had a fee balance, and by no other', () => {
    expect(feesOf([...period(), ...drop(idOf(1), other), fee(6n), called()])).toEqual([
      [3, 0],
      [3, 0],
    ])
    expect(feesOf([...period(), ...drop(idOf(1), other, 0n), fee(6n), called()])).toEqual([
      [6, 0],
      [0, 0],
    ])
    expect(feesOf([...period(), ...drop(idOf(1), other).slice(2), fee(6n), called()])).toEqual([
      [6, 0],
      [0, 0],
    ])
  })

  it('are transfers of that token out of the contract, other than the payment’s own', () => {
    const wrong = [moves(contract, caller, 5n, other), moves(payer, caller, 5n)]
    expect(feesOf([...period(), ...wrong, called()])).toEqual([[0, 0]])
    expect(feesOf([fee(5n), called()])).toEqual([])
    const unsubscribed = [
      sub('Unsubscribed', 10n * UNIT),
      sub('ProviderRefunded', 3n * UNIT),
      fee(3n, provider),
      fee(9n),
    ]
    expect(feesOf(unsubscribed)).toEqual([[0, 0]])
  })

  it('of a clean-up are the system’s share of what each got back', () => {
    const cleaned = (subscriber: Address, back: bigint) => [
      sub('Unsubscribed', 10n * UNIT, idOf(1), subscriber),
      sub('SubscriberRefunded', 10n * UNIT, idOf(1), subscriber),
      moves(contract, subscriber, back),
    ]
    expect(feesOf([...cleaned(payer, 30n), ...cleaned(other, 60n), fee(10n, system)])).toEqual([
      [0, 3],
      [0, 7],
    ])
    expect(feesOf([...cleaned(payer, 0n), ...cleaned(other, 0n), fee(10n, system)])).toEqual([
      [0, 10],
      [0, 0],
    ])
    // A charge before it pays no part of that.
    expect(feesOf([...period(), ...cleaned(other, 60n), fee(10n, system)])).toEqual([
      [0, 0],
      [0, 10],
    ])
  })

  it('are the caller’s where no log says who called', () => {
    expect(feesOf([...period(), fee(6n)])).toEqual([[6, 0]])
  })
})
