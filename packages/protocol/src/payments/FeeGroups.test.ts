import {
  called,
  caller,
  contract,
  drop,
  idOf,
  moves,
  other,
  payer,
  paymentsOf,
  period,
  provider,
  sub,
  system,
  UNIT,
} from '@remit/testing/support/models/paymentLogs'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { EncodedLog } from '../logs/events.ts'

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
