// Generated from src/protocol/allowance.ts by client/generate/main.ts. Do not edit.
import type { Hex } from 'viem'
import { atMostUint256, toRaw } from './amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from './calendar.ts'
import type { SubscriptionTerms } from './subscription.ts'

/** From here on an allowance counts as without end: nobody can spend it. */
export const INFINITE_ALLOWANCE = 2n ** 255n

/** For how many charges by remit an approval lasts where the caller names no other number. */
export const DEFAULT_APPROVAL_PERIODS = 12

/** The most charges that a caller may ask an approval to last for. */
export const MOST_APPROVAL_PERIODS = 120

/** What a subscription takes of its token's allowance, and when. */
export type RecurringCharge = Pick<SubscriptionTerms, 'id' | 'amount' | 'frequency' | 'dueDay'>

export interface NeededAllowanceInput {
  /** The subscription that is about to be subscribed to. */
  readonly subscription: RecurringCharge
  /** The wallet's other active, uncancelled subscriptions in the same token. */
  readonly others: readonly RecurringCharge[]
  /** Those of the contract's entry for the token. */
  readonly decimals: number
  /** How many charges by remit the allowance shall carry, from 1. */
  readonly approvalPeriods: number
  readonly nextUncheckedDay: number
  /** What subscribe itself will take. */
  readonly firstChargeRaw: bigint
}

export interface NeededAllowance {
  /** One full period: below it subscribe and remit refuse, however little they would take. */
  readonly contractRequired: bigint
  /** What carries the first charge and every charge of all subscriptions to `coversUntil`. */
  readonly needed: bigint
  /** Day of this subscription's last covered charge. */
  readonly coversUntil: number
  /** The other subscriptions that draw on the same allowance. */
  readonly sharedWith: readonly Hex[]
}

/**
 * The allowance that a wallet needs for its next subscription, in raw units.
 *
 * An allowance belongs to the token and the contract, so every active subscription of the wallet in the
 * token counts, with one full period for each of its due days from nextUncheckedDay on. Never more than
 * 2^256 - 1, the largest there is.
 */
export function neededAllowance(input: NeededAllowanceInput): NeededAllowance {
  const { subscription, decimals, approvalPeriods, nextUncheckedDay, firstChargeRaw } = input
  const { id, amount, frequency, dueDay } = subscription
  // Past the calendar's end (nextUncheckedDay can be set to any day) there is nothing left to cover.
  const coversUntil = nthDueDay(frequency, dueDay, nextUncheckedDay, approvalPeriods) ?? LAST_DAY
  const others = input.others.filter((other) => other.id !== id)
  const dueAmount = (charges: RecurringCharge): bigint => {
    const days = countDueDays(charges.frequency, charges.dueDay, nextUncheckedDay, coversUntil)
    return BigInt(days) * toRaw(charges.amount, decimals)
  }
  const contractRequired = toRaw(amount, decimals)
  const needed = [subscription, ...others].reduce((sum, charges) => sum + dueAmount(charges), firstChargeRaw)
  return {
    contractRequired,
    needed: atMostUint256(needed),
    coversUntil,
    sharedWith: others.map((other) => other.id),
  }
}
