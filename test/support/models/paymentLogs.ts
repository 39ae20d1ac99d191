import type { EncodedLog } from '@remit/protocol/logs/events'
import { SUBSCRIPT_EVENTS, type SubscriptEventName } from '@remit/protocol/logs/events'
import { matchPayments } from '@remit/protocol/payments/matchPayments'
import { type Address, getAddress, type Hex, numberToHex } from 'viem'
import { encodeLog } from './encodeLog.ts'

// What the contract and a token log of payments, one by one, so that a test says which of them are there, and in which order.

const addressOf = (number: number): Address => getAddress(numberToHex(number, { size: 20 }))
export const idOf = (number: number): Hex => numberToHex(number, { size: 32 })

export const [contract, usdc] = [addressOf(0xc0de), addressOf(0xc0)]
export const [provider, payer, other] = [addressOf(0xa1), addressOf(0xb2), addressOf(0xb3)]
export const [caller, system] = [addressOf(0xca), addressOf(0x5e)]
export const DAY = 20_000
export const TIMESTAMP = DAY * 86_400 + 7
/** A whole token in protocol units, and in raw ones. */
export const [UNIT, RAW] = [10n ** 18n, 1_000_000n]

/** A SubLog. */
export function sub(name: SubscriptEventName, amount = 0n, id = idOf(1), subscriber: Address = payer) {
  const subScriptEvent = SUBSCRIPT_EVENTS.findIndex((event) => event.name === name)
  const args = { id, provider, subscriber, timestamp: TIMESTAMP, amount, token: usdc, subScriptEvent }
  return encodeLog(contract, 'SubLog', args)
}

/** A transfer. */
export const moves = (from: Address, to: Address, value: bigint, token = usdc) =>
  encodeLog(token, 'Transfer', { from, to, value })

/** Remit says where it is: before a payment, and behind a drop. */
export const walking = (nextUncheckedDay: number, id = idOf(1)) =>
  encodeLog(contract, 'Coordinates', {
    id,
    subscriberIndex: 1n,
    subscriptionIndex: 1n,
    frequency: 1n,
    nextUncheckedDay,
  })

/** The end of a call of remit. */
export const called = (by: Address = caller) =>
  encodeLog(contract, 'CallerLog', { timestamp: TIMESTAMP, checkedDay: DAY, caller: by, isFinished: true })

/** One period that remit takes. */
export const period = (id = idOf(1), subscriber = payer) => [
  walking(DAY - 1, id),
  sub('SubscriberPaid', 10n * UNIT, id, subscriber),
  sub('ProviderPaid', 10n * UNIT, id, subscriber),
  moves(subscriber, provider, 10n * RAW),
]

/** A drop, behind a period that could not be taken. */
export const drop = (id = idOf(1), subscriber = payer, refund = 3n) => [
  sub('ProviderRefunded', refund * UNIT, id, subscriber),
  moves(contract, provider, refund * RAW),
  sub('Unsubscribed', 10n * UNIT, id, subscriber),
  sub('Failed', 0n, id, subscriber),
  walking(DAY - 1, id),
]

/** The payments of a transaction with these logs, in a token of six decimals. */
export const paymentsOf = (logs: readonly EncodedLog[]) =>
  matchPayments(
    logs.map((log, place) => ({ ...log, logIndex: 10 + place })),
    contract,
    () => 6,
  )
