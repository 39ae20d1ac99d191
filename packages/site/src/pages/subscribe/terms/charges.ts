import { PROTOCOL_DECIMALS, parseHuman, rawToProtocol } from '@remit/protocol/amounts'
import { dueDays } from '@remit/protocol/calendar'
import { decideCharge } from '@remit/protocol/charges/decideCharge'
import { firstCharge, type PaymentSplit, splitToRaw, subscriptionFee } from '@remit/protocol/fees'
import type { Frequency } from '@remit/protocol/subscription'

// When how much is taken from a new subscriber, by the protocol's rules.

/** The part of a plan that decides it. */
export interface PlanTerms {
  readonly amount: string
  readonly tokenDecimals: number
  readonly frequency: Frequency
  readonly dueDay: number
  /** Day numbers, unix time / 86400. */
  readonly nextDue: { readonly dayNumber: number } | null
  readonly overdue: readonly { readonly dayNumber: number }[]
}

/** A plan's price in the token's smallest unit, and how many of its due days are late. */
interface PricedTerms extends Pick<PlanTerms, 'nextDue'> {
  readonly amountRaw: bigint
  readonly overdueCount: number
}

/** A payment to come after subscribing. */
interface ComingCharge {
  readonly dayNumber: number
  /** Its day is today or over and not collected yet: the payment may be taken at any moment, from new subscribers too. */
  readonly isSoon: boolean
}

/** The first payments after subscribing today, earliest first. None for a cancelled plan. */
export function comingCharges(plan: PlanTerms, count: number, today: number | undefined): ComingCharge[] {
  const { frequency, dueDay, nextDue, overdue } = plan
  const late = overdue.map(({ dayNumber }) => ({ dayNumber, isSoon: true }))
  const from = nextDue?.dayNumber
  // A year is the longest period, so `count` years have at least as many due days.
  const days = from === undefined ? [] : dueDays(frequency, dueDay, from, from + 366 * count)
  return [...late, ...days.map((dayNumber) => ({ dayNumber, isSoon: dayNumber === today }))].slice(0, count)
}

/** The first payment whose day is still to come: at most the late ones and today's come before it. */
export function firstLater(plan: PlanTerms, today: number | undefined): ComingCharge | undefined {
  return comingCharges(plan, plan.overdue.length + 2, today).find(({ isSoon }) => !isSoon)
}

/**
 * What is taken from a new subscriber beside the first charge, as soon as somebody collects: a whole payment for each due
 * day up to today that is not collected yet. In the token's smallest unit.
 */
export function takenSoon(
  { amountRaw, nextDue, overdueCount }: PricedTerms,
  today: number | undefined,
): bigint {
  return amountRaw * BigInt(dueCount({ nextDue, overdueCount }, today))
}

/** How many payments are due up to today and not collected yet. */
export function dueCount(
  { nextDue, overdueCount }: Pick<PricedTerms, 'nextDue' | 'overdueCount'>,
  today: number | undefined,
): number {
  return overdueCount + (nextDue !== null && nextDue.dayNumber === today ? 1 : 0)
}

/**
 * What a wallet must hold to subscribe today and stay, in the token's smallest unit: what is taken `now` and soon, but one whole
 * payment at least, because the contract asks for that.
 */
export function neededToday(plan: PricedTerms, now: bigint | undefined, today: number | undefined): bigint {
  const total = (now ?? 0n) + takenSoon(plan, today)
  return total > plan.amountRaw ? total : plan.amountRaw
}

/** What subscribing takes at once and where it goes, in the token's smallest unit; `undefined` for a price of 0 or no number. */
export function chargedNow(
  plan: PlanTerms,
  at: { readonly timestamp: number; readonly callerFee: bigint; readonly nextUncheckedDay: number },
): PaymentSplit | undefined {
  const { amount, tokenDecimals, frequency, dueDay } = plan
  const price = parseHuman(amount, PROTOCOL_DECIMALS)
  if (!price.ok || price.raw === 0n) return undefined
  const terms = { amount: price.raw, frequency, dueDay }
  const { toFeeBalance, toProvider } = splitToRaw(firstCharge({ terms, ...at }), tokenDecimals)
  return { toFeeBalance, toProvider }
}

/** What becomes of the collecting reserve after subscribing. */
interface ReserveTerms {
  /** What whoever collects a payment gets out of it, in protocol units. */
  readonly fee: bigint
  /** How a payment that fills it is divided, in the token's smallest unit. */
  readonly fill: PaymentSplit
  /** Whether the first whole payment fills it. */
  readonly isFilledFirst: boolean
}

/**
 * What becomes of the collecting reserve, by the rule that forecasts go by; `undefined` as for `chargedNow`.
 * @param reserveRaw what the first charge puts there, in the token's smallest unit
 */
export function reserveTerms(
  { amount, tokenDecimals, frequency }: PlanTerms,
  reserveRaw: bigint,
  callerFee: bigint,
): ReserveTerms | undefined {
  const price = parseHuman(amount, PROTOCOL_DECIMALS)
  const reserve = rawToProtocol(reserveRaw, tokenDecimals)
  if (!price.ok || price.raw === 0n || !reserve.ok) return undefined
  const charge = (feeBalance: bigint) =>
    decideCharge({ amount: price.raw, frequency, feeBalance }, { decimals: tokenDecimals, callerFee }, ENOUGH)
  const { toFeeBalance, toProvider } = charge(0n)
  return {
    fee: subscriptionFee(price.raw, callerFee),
    fill: { toFeeBalance, toProvider },
    isFilledFirst: charge(reserve.amount).isFeeFill,
  }
}

/** A wallet that can pay: `null` is without limit. */
const ENOUGH = { allowance: null, balance: null }
