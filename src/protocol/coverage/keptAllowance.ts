import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from '../allowance.ts'
import { atMostUint256, toRaw } from '../amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from '../calendar.ts'
import type { ChargedSubscription } from './ChargeAmounts.ts'
import { type Coverage, coverageOf, ENDLESS } from './coverage.ts'

/** A hundred years in days. Coverage beyond that is not preserved: the new allowance would become far too large. */
export const KEPT_DAYS = 36_525

export interface KeptAllowanceInput {
  /** All subscriptions of the wallet in the token, with the new one, in remit's order. */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The id of the new subscription; `undefined` where none comes, and only a larger allowance changes what is paid. */
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
  /** What is approved at the least, whatever is kept: what the new subscription's own periods need, raw. */
  readonly least: bigint
}

/**
 * The allowance that a new subscription needs so that every other subscription is still paid up to the day to which the
 * present allowance pays for it, at most KEPT_DAYS ahead.
 *
 * That is the present allowance, plus what the new subscription takes up to the latest of those days, or the least that
 * is approved anyway. Sometimes this is not enough: a subscription that was to end sooner goes on with it and takes it from
 * the others. Then the answer is all charges of all subscriptions up to that day: with that or more, each of them is paid.
 * Where remit may be in the middle of a day, whom it has charged on it already is not known: both possible days are kept.
 * Never less than the present allowance, nor more than 2^256 - 1.
 */
export function keptAllowance(input: KeptAllowanceInput): bigint {
  const { subscriptions, id, decimals, callerFee, nextUncheckedDay, allowance, firstChargeRaw } = input
  if (allowance >= INFINITE_ALLOWANCE) return allowance
  const atLeast = (amount: bigint) => (amount > input.least ? amount : input.least)
  const kept = keptDays(input)
  if (kept.size === 0) return atLeast(allowance)
  const through = Math.max(...kept.values())
  const costOf = ({ amount, frequency, dueDay }: ChargedSubscription) =>
    BigInt(countDueDays(frequency, dueDay, nextUncheckedDay, through)) * toRaw(amount, decimals)

  const added = subscriptions.filter((subscription) => subscription.id === id)
  const cost = added.reduce((sum, subscription) => sum + costOf(subscription), allowance + firstChargeRaw)
  // What is approved is what must keep the days: a larger allowance can let another one go on, and keep less.
  const beside = atLeast(cost)
  const means = { allowance: beside - firstChargeRaw, balance: null }
  const isKept = firstDays(input).every((firstDay) => {
    const after = coverageOf({ subscriptions, decimals, callerFee, nextUncheckedDay: firstDay, means })
    return [...kept].every(([other, until]) => isAtLeast(after.get(other), until))
  })
  const all = subscriptions.reduce((sum, subscription) => sum + costOf(subscription), firstChargeRaw)
  return atMostUint256(isKept ? beside : atLeast(all))
}

/** For each other subscription, the last day that the present allowance pays for. Left out where it pays for none. */
function keptDays(input: KeptAllowanceInput): ReadonlyMap<Hex, number> {
  const kept = new Map<Hex, number>()
  for (const firstDay of firstDays(input)) {
    for (const [id, day] of keptFrom(firstDay, input)) kept.set(id, Math.max(day, kept.get(id) ?? day))
  }
  return kept
}

/** The first day on which a subscription can still be charged: the one after, where remit has charged it already. */
function firstDays({ nextUncheckedDay, today }: KeptAllowanceInput): readonly number[] {
  return nextUncheckedDay > today ? [nextUncheckedDay] : [nextUncheckedDay, nextUncheckedDay + 1]
}

function keptFrom(
  firstDay: number,
  { id, decimals, callerFee, allowance, ...input }: KeptAllowanceInput,
): ReadonlyMap<Hex, number> {
  const subscriptions = input.subscriptions.filter((subscription) => subscription.id !== id)
  const means = { allowance, balance: null }
  const before = coverageOf({ subscriptions, decimals, callerFee, nextUncheckedDay: firstDay, means })
  return new Map(
    subscriptions.flatMap(({ id: other, frequency, dueDay }) => {
      const { periods, until } = before.get(other) ?? ENDLESS
      const lastDay = Math.min(until ?? LAST_DAY, firstDay + KEPT_DAYS)
      const charges = countDueDays(frequency, dueDay, firstDay, lastDay)
      const kept = nthDueDay(frequency, dueDay, firstDay, charges)
      return periods === 0 || charges === 0 || kept === undefined ? [] : [[other, kept] as const]
    }),
  )
}

/** Whether a subscription is paid up to this day, that day included. */
function isAtLeast(coverage: Coverage | undefined, day: number): boolean {
  if (coverage === undefined) return false
  return coverage.failsOn === null || (coverage.until ?? 0) >= day
}
