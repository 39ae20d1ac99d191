import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from '../allowance.ts'
import { atMostUint256, toRaw } from '../amounts.ts'
import { countDueDays, LAST_DAY, nextDueDay, nthDueDay } from '../calendar.ts'
import type { ChargedSubscription } from '../charges/ChargeAmounts.ts'
import { type Coverage, type CoverageById, coverageOf } from './coverage.ts'

/** A hundred years in days. Coverage beyond that is not preserved: the new allowance would become far too large. */
export const KEPT_DAYS = 36_525

export interface KeptAllowanceInput {
  /** All subscriptions of the wallet in the token, with the new one, in remit's order. */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The id of the new subscription; `undefined` if only the allowance changes. */
  readonly id: Hex | undefined
  readonly decimals: number
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
  /** The chain's day: remit may be in the middle of `nextUncheckedDay` where that has begun. */
  readonly today: number
  /** The present allowance, raw. */
  readonly allowance: bigint
  /** What subscribing takes at once, raw. */
  readonly firstChargeRaw: bigint
  /** The least to approve: what the new subscription's own periods need, raw. */
  readonly least: bigint
}

/** Positions of remit in a half-finished day that are looked at. */
const MAX_POSITIONS = 32

/**
 * The allowance that a new subscription needs so that every other subscription is still paid up to the day to which the
 * present allowance pays for it, at most KEPT_DAYS ahead.
 *
 * That is the present allowance, plus what the new subscription takes up to the latest of those days, or the least that
 * is approved anyway. Sometimes this is not enough: a subscription that was to end sooner goes on with it and takes it
 * from the others. Then the answer is all charges of all subscriptions up to that day: with that or more, each of them
 * is paid. Remit may be in the middle of a day, and nobody knows whom it has charged. So the days are kept for every
 * position that it can have. Up to 32 positions are looked at; where there are more, all charges up to the latest of
 * those days are approved. What a page break skips is not foreseen. Never less than the present allowance, nor more
 * than 2^256 - 1.
 */
export function keptAllowance(input: KeptAllowanceInput): bigint {
  const { subscriptions, id, decimals, nextUncheckedDay, allowance, firstChargeRaw } = input
  if (allowance >= INFINITE_ALLOWANCE) return allowance
  const atLeast = (amount: bigint) => (amount > input.least ? amount : input.least)
  const due = dueInRemitOrder(input)
  const positions = due.slice(0, MAX_POSITIONS).map((_, charged) => due.slice(charged))
  const states = [...positions, []].map((left) => ({ left, kept: keptDays(input, left) }))
  const through = Math.max(...states.flatMap(({ kept }) => [...kept.values()]))
  if (through === Number.NEGATIVE_INFINITY) return atLeast(allowance)
  const costOf = ({ amount, frequency, dueDay }: ChargedSubscription) =>
    BigInt(countDueDays(frequency, dueDay, nextUncheckedDay, through)) * toRaw(amount, decimals)

  const added = subscriptions.filter((subscription) => subscription.id === id)
  const cost = added.reduce((sum, subscription) => sum + costOf(subscription), allowance + firstChargeRaw)
  // The approved amount itself must keep the days: a larger one can let another subscription go on, which then takes
  // from it.
  const beside = atLeast(cost)
  const isKept =
    due.length <= MAX_POSITIONS &&
    states.every(({ left, kept }) => {
      const after = coverageFrom(input, left, { subscriptions, allowance: beside - firstChargeRaw })
      return [...kept].every(([other, until]) => isAtLeast(after(other), until))
    })
  const all = subscriptions.reduce((sum, subscription) => sum + costOf(subscription), firstChargeRaw)
  return atMostUint256(isKept ? beside : atLeast(all))
}

/** The subscriptions that are due on the day that remit may have begun, as it charges them. None where it has not. */
function dueInRemitOrder({ subscriptions, nextUncheckedDay, today }: KeptAllowanceInput): readonly Hex[] {
  if (nextUncheckedDay > today) return []
  return subscriptions
    .filter(({ frequency, dueDay }) => nextDueDay(frequency, dueDay, nextUncheckedDay) === nextUncheckedDay)
    .sort((a, b) => a.frequency - b.frequency)
    .map(({ id }) => id)
}

/**
 * How long an allowance lasts.
 * @param left those that remit has still to charge of the ones due on the day that it may have begun
 */
function coverageFrom(
  { decimals, callerFee, nextUncheckedDay, today }: KeptAllowanceInput,
  left: readonly Hex[],
  { subscriptions, allowance }: Pick<KeptAllowanceInput, 'subscriptions' | 'allowance'>,
): CoverageById {
  const begun = {
    charges: left.map((id) => ({ id, hasFailed: false })),
    others: { kind: 'skipped' as const },
  }
  return coverageOf({
    subscriptions,
    decimals,
    callerFee,
    nextUncheckedDay,
    means: { allowance, balance: null },
    remitOn: (day) => (day === nextUncheckedDay && nextUncheckedDay <= today ? begun : undefined),
  })
}

/** For each other subscription, the last day that the present allowance pays for. Left out where it pays for none. */
function keptDays(input: KeptAllowanceInput, left: readonly Hex[]): ReadonlyMap<Hex, number> {
  const { id, allowance, nextUncheckedDay } = input
  const subscriptions = input.subscriptions.filter((subscription) => subscription.id !== id)
  const before = coverageFrom(input, left, { subscriptions, allowance })
  return new Map(
    subscriptions.flatMap(({ id: other, frequency, dueDay }) => {
      const { periods, until } = before(other)
      const lastDay = Math.min(until ?? LAST_DAY, nextUncheckedDay + KEPT_DAYS)
      const charges = countDueDays(frequency, dueDay, nextUncheckedDay, lastDay)
      const kept = nthDueDay(frequency, dueDay, nextUncheckedDay, charges)
      return periods === 0 || charges === 0 || kept === undefined ? [] : [[other, kept] as const]
    }),
  )
}

/** Whether a subscription is paid up to this day, that day included. */
function isAtLeast(coverage: Coverage, day: number): boolean {
  return coverage.failsOn === null || (coverage.until ?? 0) >= day
}
