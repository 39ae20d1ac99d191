import { PROTOCOL_DECIMALS, parseHuman } from '@remit/protocol/amounts'
import { dueDays } from '@remit/protocol/calendar'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import type { Frequency } from '@remit/protocol/subscription'

/** What of a plan decides when how much is taken. */
export interface PlanTerms {
  readonly amount: string
  readonly tokenDecimals: number
  readonly frequency: Frequency
  readonly dueDay: number
  /** Day numbers, unix time / 86400. */
  readonly nextDue: { readonly dayNumber: number } | null
  readonly overdue: readonly { readonly dayNumber: number }[]
}

/** A payment to come after subscribing. */
interface ComingCharge {
  readonly dayNumber: number
  /** The day is over and not collected yet: it may be taken at any moment, from new subscribers too. */
  readonly isLate: boolean
}

/** The first payments after subscribing today, earliest first. None for a cancelled plan. */
export function comingCharges(plan: PlanTerms, count: number): ComingCharge[] {
  const { frequency, dueDay, nextDue, overdue } = plan
  const late = overdue.map(({ dayNumber }) => ({ dayNumber, isLate: true }))
  const from = nextDue?.dayNumber
  // A year is the longest period: in so many years there are as many due days.
  const days = from === undefined ? [] : dueDays(frequency, dueDay, from, from + 366 * count)
  return [...late, ...days.map((dayNumber) => ({ dayNumber, isLate: false }))].slice(0, count)
}

/** What subscribing takes at once at this time, in the token's smallest unit; `undefined` for a price that is none. */
export function chargedNow(
  plan: PlanTerms,
  at: { readonly timestamp: number; readonly callerFee: bigint; readonly nextUncheckedDay: number },
): bigint | undefined {
  const { amount, tokenDecimals, frequency, dueDay } = plan
  const price = parseHuman(amount, PROTOCOL_DECIMALS)
  if (!price.ok || price.raw === 0n) return undefined
  const terms = { amount: price.raw, frequency, dueDay }
  return splitToRaw(firstCharge({ terms, ...at }), tokenDecimals).total
}
