/** The contract's fee arithmetic: what a charge pays to the caller of remit, and how first charges and later ones are split. */

import { toRaw } from './amounts.ts'
import { dayNumberAt } from './calendar.ts'
import { prorate } from './proration.ts'
import type { Frequency, SubscriptionTerms } from './subscription.ts'

// The contract's fees are factors over 10000: 10200 adds two percent.
const FEE_BASE = 10_000n

/** The smallest and the largest factor over 10000. */
export interface FeeLimits {
  readonly least: bigint
  readonly most: bigint
}

/** What the contract lets its admin set. */
export const CALLER_FEE: FeeLimits = { least: FEE_BASE, most: 10_833n }
export const SYSTEM_FEE: FeeLimits = { least: FEE_BASE, most: 19_999n }

/** How a payment is split between the subscriber's fee balance (held by the contract) and the provider. */
export interface PaymentSplit {
  readonly toFeeBalance: bigint
  readonly toProvider: bigint
}

/** The percentage that a caller or system fee stands for: 10150 is 1.5. Exact to its two decimals. */
export function feePercent(fee: bigint): number {
  return Number(fee - FEE_BASE) / 100
}

/** What one charge of a subscription pays to the caller of remit, in protocol units. */
export function subscriptionFee(amount: bigint, callerFee: bigint): bigint {
  return (amount * callerFee) / FEE_BASE - amount
}

/** The system's share of a caller's fees, where it is switched on. The caller keeps the rest. */
export function systemShare(total: bigint, systemFee: bigint): bigint {
  return (total * systemFee) / FEE_BASE - total
}

/** The split of a period in which remit fills the fee balance, in protocol units. The fractions are the contract's. */
export function feeFill({
  amount,
  frequency,
}: Pick<SubscriptionTerms, 'amount' | 'frequency'>): PaymentSplit {
  switch (frequency) {
    case 0:
      return { toFeeBalance: amount, toProvider: 0n }
    case 1:
      return { toFeeBalance: amount / 4n, toProvider: (amount / 4n) * 3n }
    case 2:
    case 3:
      return { toFeeBalance: amount / 12n, toProvider: (amount / 12n) * 11n }
  }
}

export interface FirstChargeInput {
  readonly terms: Pick<SubscriptionTerms, 'amount' | 'frequency' | 'dueDay'>
  /** Unix seconds of the block in which subscribe runs. */
  readonly timestamp: number
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
}

/**
 * What subscribe takes at once and where it goes, in protocol units (docs/protocol.md).
 *
 * On the due day itself, a full period is taken only if remit has finished this day. Otherwise remit will charge the
 * period, and subscribe takes only one caller's fee.
 */
export function firstCharge({
  terms,
  timestamp,
  callerFee,
  nextUncheckedDay,
}: FirstChargeInput): PaymentSplit {
  const { amount, frequency, dueDay } = terms
  const share = prorate({ timestamp, dueDay, amount, frequency })
  const callerAmount = subscriptionFee(amount, callerFee)
  const remitWillCharge = share === amount && nextUncheckedDay <= dayNumberAt(timestamp)
  if (share < callerAmount || remitWillCharge) return { toFeeBalance: callerAmount, toProvider: 0n }
  const fill = fillOfFirstCharge(share, amount, frequency)
  return { toFeeBalance: fill, toProvider: share - fill }
}

/** What of a first charge fills the fee balance, by the contract's percentages: 25 % or 8.3 % of a period, or all of a smaller charge. */
function fillOfFirstCharge(share: bigint, amount: bigint, frequency: Frequency): bigint {
  // No division by 0. The contract panics here, and its simulation shows that.
  if (amount === 0n) return 0n
  switch (frequency) {
    case 0:
      return share
    case 1:
      return (share * 100n) / amount >= 25n ? (amount * 25n) / 100n : share
    case 2:
    case 3:
      return (share * 1000n) / amount >= 83n ? (amount * 83n) / 1000n : share
  }
}

/** A split as the token moves it: two transfers, each truncated on its own. */
export function splitToRaw(split: PaymentSplit, decimals: number): PaymentSplit & { readonly total: bigint } {
  const toFeeBalance = toRaw(split.toFeeBalance, decimals)
  const toProvider = toRaw(split.toProvider, decimals)
  return { toFeeBalance, toProvider, total: toFeeBalance + toProvider }
}
