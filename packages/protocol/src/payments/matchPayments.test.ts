import { encodeLog } from '@remit/testing/support/models/encodeLog'
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
  paymentsOf,
  period,
  provider,
  RAW,
  sub,
  system,
  TIMESTAMP,
  UNIT,
  usdc,
  walking,
} from '@remit/testing/support/models/paymentLogs'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { EncodedLog } from '../logs/events.ts'
import { matchPayments } from './matchPayments.ts'
import { type CreditTrial, dropReason, statesWhatMoves } from './Payment.ts'

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
const created = sub('Created', 10n * UNIT)
const approval = encodeLog(usdc, 'Approval', { owner: payer, spender: contract, value: 9n })

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
  const paid = (...behind: EncodedLog[]) => [...period().slice(0, 3), ...behind]

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

  it('is accepted where the token has no decimals in the contract', () => {
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

it.each([
  [99n, 99n, 'both'],
  [99n, 100n, 'balance'],
  [100n, 99n, 'allowance'],
  [100n, 100n, 'unknown'],
] as const)(
  'with a balance of %s and an allowance of %s, a period of 100 lacks: %s',
  (balance, allowance, reason) => {
    expect(dropReason({ balance, allowance }, 100n)).toBe(reason)
  },
)

const AMOUNT = 10_000_000n
const plain: CreditTrial = {
  asked: AMOUNT,
  loggedIn: AMOUNT,
  loggedOut: AMOUNT,
  arrived: AMOUNT,
  left: AMOUNT,
}

it.each<[string, Partial<CreditTrial>, boolean]>([
  ['a plain token', {}, true],
  ['one that keeps a part, and logs it', { loggedIn: 99n, arrived: 99n }, true],
  ['one that credits less than it logs', { arrived: AMOUNT - 100_000n }, false],
  ['one that credits more', { arrived: AMOUNT + 3n }, false],
  ['one that takes more from the payer than it logs', { left: AMOUNT + 100_000n }, false],
  ['one that logs nothing', { loggedIn: 0n, loggedOut: 0n }, false],
  ['one that keeps shares, and rounds', { arrived: AMOUNT - 2n, left: AMOUNT - 1n }, true],
  [
    'a unit of a small amount, which is no rounding',
    { asked: 5n, loggedIn: 5n, loggedOut: 5n, left: 5n, arrived: 4n },
    false,
  ],
])('tells whether logs state what moves: %s', (_, trial, expected) => {
  expect(statesWhatMoves({ ...plain, ...trial })).toBe(expected)
})

const feesOf = (logs: readonly EncodedLog[]) =>
  paymentsOf(logs).map(({ callerFee, systemShare }) => [Number(callerFee), Number(systemShare)])

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

  it('are paid too by a drop that leaves the provider less than the token’s smallest unit', () => {
    const dropped = (subscriber = payer) => [
      sub('ProviderRefunded', 1n, idOf(1), subscriber),
      ...drop(idOf(1), subscriber, 0n).slice(1),
    ]
    expect(feesOf([...dropped(), fee(6n), called()])).toEqual([[6, 0]])
    expect(feesOf([...period(), ...dropped(other), fee(6n), called()])).toEqual([
      [3, 0],
      [3, 0],
    ])
  })

  it('are the caller’s where no log says who called', () => {
    expect(feesOf([...period(), fee(6n)])).toEqual([[6, 0]])
  })
})
