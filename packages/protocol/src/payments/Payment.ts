/** What a payment is to the index, to pages and to proofs; why remit drops somebody; and whether the logs of a token can be believed. */

import type { Address, Hex } from 'viem'

/**
 * What moved money of a subscription, or ended one. The fee balance is what the contract holds of a subscriber for the fees of its charges.
 *
 * - `firstCharge`: somebody subscribed, and paid at once. Some or all of it filled the fee balance.
 * - `period`: remit charged a period.
 * - `feeFill`: remit charged a period, of which a part, or all of a weekly one, filled the fee balance.
 * - `left`: the subscriber ended its membership. The provider got the fee balance.
 * - `dropped`: remit ended the membership, because a charge failed. The provider got the fee balance less the caller's fee. A fee
 *   balance that does not exceed that fee stays in the contract.
 * - `removed`: the provider ended the membership. The subscriber got the fee balance.
 * - `cleanedUp`: the contract's janitor ended the membership after `cancelled`. The subscriber got the fee balance less the system's share.
 * - `cancelled`: the provider ended the subscription. No money moved.
 *
 * The index stores the place in this list: only append.
 */
export const PAYMENT_KINDS = [
  'firstCharge',
  'period',
  'feeFill',
  'left',
  'dropped',
  'removed',
  'cleanedUp',
  'cancelled',
] as const

export type PaymentKind = (typeof PAYMENT_KINDS)[number]

/** The kinds that a subscriber pays. The others end a membership, or all of a subscription's. */
export const CHARGES: readonly PaymentKind[] = ['firstCharge', 'period', 'feeFill']

/**
 * What was less than a full period when remit dropped a subscriber. `unknown`: no node had the state that shows it, the contract has no
 * entry with the token's decimals, or neither was less by that state.
 */
export const DROP_REASONS = ['allowance', 'balance', 'both', 'unknown'] as const

export type DropReason = (typeof DROP_REASONS)[number]

/**
 * What one step of a subscription moved, by the Transfer logs of its token. Amounts are in the token's smallest unit.
 *
 * The contract's own logs state the amounts that it asked for, and some state a whole period whatever moved.
 */
export interface Payment {
  readonly kind: Exclude<PaymentKind, 'cancelled'>
  readonly subscriptionId: Hex
  /** The provider that the contract logs. It can be wrong only for a clean-up, which logs what its caller names. */
  readonly provider: Address
  readonly subscriber: Address
  readonly token: Address
  /** The price of one period as logged, in protocol units (18 decimals). */
  readonly period: bigint
  /** The due day that remit charged; for everything else the day on which it happened. */
  readonly dayNumber: number
  /** Unix seconds. */
  readonly timestamp: number
  /** What the provider got: of a charge, or of the fee balance of somebody who left or was dropped. */
  readonly toProvider: bigint
  /** What the subscriber put into its fee balance. */
  readonly toFeeBalance: bigint
  /** What the subscriber got back of its fee balance. */
  readonly toSubscriber: bigint
  /** What the charge or the drop paid out of the fee balance to the caller of remit, without `systemShare`. */
  readonly callerFee: bigint
  /**
   * What the payment paid out of the fee balance to the protocol, while the contract's admin has that share switched on: of a charge or a
   * drop a part of the fee, of a clean-up a part of the whole fee balance. `callerFee` and `toSubscriber` are without it.
   */
  readonly systemShare: bigint
  /**
   * Whether the token logged one transfer for each that the contract asked for, and of that amount. If not, the token
   * keeps a part, or its logs are wrong about what moved.
   */
  readonly isStated: boolean
  /** The first and the last log that belong to it. */
  readonly logIndex: number
  readonly lastLogIndex: number
}

/** What left the subscriber with a payment, in the token's smallest unit; 0 unless its kind is one of CHARGES. */
export function chargedOf({
  kind,
  toProvider,
  toFeeBalance,
}: Pick<Payment, 'toProvider' | 'toFeeBalance'> & { readonly kind: PaymentKind }): bigint {
  return CHARGES.includes(kind) ? toProvider + toFeeBalance : 0n
}

/**
 * Why remit dropped a subscriber, by what it had when its turn came. The contract logs all reasons alike.
 *
 * @param had in the token's smallest unit
 * @param period one full period, in the same unit
 * @returns `unknown` where neither was short: then something else in the same block has changed what it had
 */
export function dropReason(
  had: { readonly balance: bigint; readonly allowance: bigint },
  period: bigint,
): DropReason {
  const lacksBalance = had.balance < period
  const lacksAllowance = had.allowance < period
  if (lacksBalance && lacksAllowance) return 'both'
  if (lacksBalance) return 'balance'
  return lacksAllowance ? 'allowance' : 'unknown'
}

/** What a simulated transfer did to its two accounts, in the token's smallest unit. It shows whether the token logs what it moves. */
export interface CreditTrial {
  readonly asked: bigint
  /** What the receiver got, by the Transfer logs. */
  readonly loggedIn: bigint
  /** What left the sender, by the Transfer logs. */
  readonly loggedOut: bigint
  /** What the receiver got, by its balances before and after. */
  readonly arrived: bigint
  /** What left the sender, by its balances before and after. */
  readonly left: bigint
}

/** Tokens that keep shares, as rebasing ones do, round a balance by a unit or two. */
const MOST_ROUNDED = 2n
/** The least amount of which two units count as rounding. Of a smaller one they may be a fee. */
const LEAST_ROUNDED_OF = 1_000_000n

/** Whether a token's logs state what it moves. */
export function statesWhatMoves({ asked, loggedIn, loggedOut, arrived, left }: CreditTrial): boolean {
  const tolerated = asked >= LEAST_ROUNDED_OF ? MOST_ROUNDED : 0n
  return isWithin(loggedIn - arrived, tolerated) && isWithin(loggedOut - left, tolerated)
}

function isWithin(difference: bigint, tolerated: bigint): boolean {
  return difference <= tolerated && difference >= -tolerated
}
