import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from '../allowance.ts'
import { atMostUint256, toRaw } from '../amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from '../calendar.ts'
import { type Coverage, coverageOf, ENDLESS } from './coverage.ts'
import type { ChargedSubscription } from './ChargeAmounts.ts'

/** A hundred years: what an allowance carries for longer is kept so far, or the new one would be out of all bounds. */
export const KEPT_DAYS = 36_525

export interface KeptAllowanceInput {
  /** All of the wallet's subscriptions in the token, the new one among them, in remit's order. */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The new one's. */
  readonly id: Hex
  readonly decimals: number
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
  /** What there is, raw. */
  readonly allowance: bigint
  /** What subscribing takes at once, raw. */
  readonly firstChargeRaw: bigint
}

/**
 * The allowance with which a new subscription leaves every other one the last day that the present allowance
 * pays for, up to KEPT_DAYS ahead.
 *
 * That is what there is and what the new one takes up to the latest of those days. Where this would only let
 * another go on that was to end sooner, and take it from the rest, it is every charge of all of them up to that
 * day. Never less than what there is, nor more than 2^256 - 1.
 */
export function keptAllowance(input: KeptAllowanceInput): bigint {
  const { subscriptions, id, decimals, callerFee, nextUncheckedDay, allowance, firstChargeRaw } = input
  if (allowance >= INFINITE_ALLOWANCE) return allowance
  const kept = keptDays(input)
  if (kept.size === 0) return allowance
  const through = Math.max(...kept.values())
  const costOf = ({ amount, frequency, dueDay }: ChargedSubscription) =>
    BigInt(countDueDays(frequency, dueDay, nextUncheckedDay, through)) * toRaw(amount, decimals)

  const added = subscriptions.filter((subscription) => subscription.id === id)
  const beside = added.reduce((sum, subscription) => sum + costOf(subscription), allowance + firstChargeRaw)
  const means = { allowance: beside - firstChargeRaw, balance: null }
  const after = coverageOf({ subscriptions, decimals, callerFee, nextUncheckedDay, means })
  const isKept = [...kept].every(([other, until]) => isAtLeast(after.get(other), until))
  const all = subscriptions.reduce((sum, subscription) => sum + costOf(subscription), firstChargeRaw)
  return atMostUint256(isKept ? beside : all)
}

/** The last day that the present allowance pays for, of each other subscription that it pays for at all. */
function keptDays(input: KeptAllowanceInput): ReadonlyMap<Hex, number> {
  const { id, decimals, callerFee, nextUncheckedDay, allowance } = input
  const subscriptions = input.subscriptions.filter((subscription) => subscription.id !== id)
  const means = { allowance, balance: null }
  const before = coverageOf({ subscriptions, decimals, callerFee, nextUncheckedDay, means })
  return new Map(
    subscriptions.flatMap(({ id: other, frequency, dueDay }) => {
      const { periods, until } = before.get(other) ?? ENDLESS
      const lastDay = Math.min(until ?? LAST_DAY, nextUncheckedDay + KEPT_DAYS)
      const charges = countDueDays(frequency, dueDay, nextUncheckedDay, lastDay)
      const kept = nthDueDay(frequency, dueDay, nextUncheckedDay, charges)
      return periods === 0 || charges === 0 || kept === undefined ? [] : [[other, kept] as const]
    }),
  )
}

/** Whether a subscription is carried up to this day, that day included. */
function isAtLeast(coverage: Coverage | undefined, day: number): boolean {
  if (coverage === undefined) return false
  return coverage.failsOn === null || (coverage.until ?? 0) >= day
}
