/**
 * How large the allowance of a wallet must be for its subscriptions, all in one token: `neededAllowance` where it subscribes to one more,
 * `extendedAllowance` where it approves anew for those that it has.
 *
 * A caller names a number of charges (`approvalPeriods`). The day of the last of them (`coversUntil`) is found by the calendar, and the
 * allowance pays for all charges of all subscriptions up to that day.
 */

import { atMostUint256, toRaw } from './amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from './calendar.ts'
import type { SubscriptionTerms } from './subscription.ts'

/** From this size on an allowance counts as unlimited: nobody can spend that much. */
export const INFINITE_ALLOWANCE = 2n ** 255n

/** How many charges by remit an approval pays for by default: those of a year for a monthly subscription. */
export const DEFAULT_APPROVAL_PERIODS = 12

/** The most charges by remit that a caller may ask an approval to pay for: ten years of months. */
export const MOST_APPROVAL_PERIODS = 120

/** What a subscription takes from the allowance, and when: `amount` in protocol units (18 decimals), on each due day. */
export type RecurringCharge = Pick<SubscriptionTerms, 'id' | 'amount' | 'frequency' | 'dueDay'>

export interface NeededAllowanceInput {
  /** The subscription that is about to be subscribed to. */
  readonly subscription: RecurringCharge
  /** The wallet's other active, uncancelled subscriptions in the same token. */
  readonly others: readonly RecurringCharge[]
  /** The decimals in the contract's entry for the token. */
  readonly decimals: number
  /** How many charges by remit the allowance must pay for, 1 or more. */
  readonly approvalPeriods: number
  /** The first day that remit has not finished (unix time / 86400). */
  readonly nextUncheckedDay: number
  /** What subscribe itself will take, raw. */
  readonly firstChargeRaw: bigint
}

/** Amounts are raw: in the token's smallest unit. */
export interface NeededAllowance {
  /** One full period. Subscribe and remit refuse less, even where they take less. */
  readonly contractRequired: bigint
  /** What pays for the first charge, and for every charge of all subscriptions up to `coversUntil`. */
  readonly needed: bigint
  /** Day of this subscription's last covered charge. */
  readonly coversUntil: number
}

/**
 * The allowance that pays for `approvalPeriods` charges by remit of every one of these subscriptions of a wallet, all in one token. Beside
 * a yearly one a weekly one needs far more charges than that, because they share the allowance and it must last for as long.
 * `undefined` where there is no subscription.
 */
export function extendedAllowance({
  subscriptions,
  ...input
}: Pick<NeededAllowanceInput, 'decimals' | 'approvalPeriods' | 'nextUncheckedDay'> & {
  readonly subscriptions: readonly RecurringCharge[]
}): Pick<NeededAllowance, 'needed' | 'coversUntil'> | undefined {
  const lastDay = ({ frequency, dueDay }: RecurringCharge) =>
    nthDueDay(frequency, dueDay, input.nextUncheckedDay, input.approvalPeriods) ?? LAST_DAY
  const [first, ...rest] = subscriptions
  if (first === undefined) return undefined
  // All must be paid up to the latest of their last wanted charges, so the one with that charge takes the part of the next subscription.
  // `others` may contain it: it is counted once.
  const subscription = rest.reduce((last, one) => (lastDay(one) > lastDay(last) ? one : last), first)
  return neededAllowance({ ...input, subscription, others: subscriptions, firstChargeRaw: 0n })
}

/**
 * The allowance that a wallet needs for its next subscription, in raw units.
 *
 * All subscriptions of a wallet in one token share one allowance. So every active one counts, with one full period for
 * each of its due days from nextUncheckedDay on. Never more than 2^256 - 1.
 */
export function neededAllowance(input: NeededAllowanceInput): NeededAllowance {
  const { subscription, decimals, approvalPeriods, nextUncheckedDay, firstChargeRaw } = input
  const { id, amount, frequency, dueDay } = subscription
  // The administrator can set nextUncheckedDay to any day. After the calendar's end there is no charge.
  const coversUntil = nthDueDay(frequency, dueDay, nextUncheckedDay, approvalPeriods) ?? LAST_DAY
  const others = input.others.filter((other) => other.id !== id)
  const dueAmount = (charge: RecurringCharge): bigint => {
    const days = countDueDays(charge.frequency, charge.dueDay, nextUncheckedDay, coversUntil)
    return BigInt(days) * toRaw(charge.amount, decimals)
  }
  const contractRequired = toRaw(amount, decimals)
  const allCharges = [subscription, ...others].reduce(
    (sum, charge) => sum + dueAmount(charge),
    firstChargeRaw,
  )
  // The contract asks for one period even if no due day is left.
  const needed = allCharges < contractRequired ? contractRequired : atMostUint256(allCharges)
  return { contractRequired, needed, coversUntil }
}
