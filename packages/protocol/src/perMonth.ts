import { toRaw } from './amounts.ts'
import type { Frequency, SubscriptionTerms } from './subscription.ts'

/**
 * A sum per month as an exact fraction: this many parts, of which PARTS_PER_MONTH make one of the token's smallest
 * unit a month. Never rounded.
 */
export type MonthlyParts = bigint

/** Months in the 400 years after which the calendar repeats itself, weekdays included. */
export const PARTS_PER_MONTH = 4_800n

/** How often a frequency is due in those 400 years: they have 146,097 days, which are 20,871 weeks. */
const TIMES: Readonly<Record<Frequency, bigint>> = { 0: 20_871n, 1: 4_800n, 2: 1_600n, 3: 400n }

/**
 * What a subscription takes of a wallet per month, on average and exactly: a weekly amount times 20871/4800 (4.348125),
 * a monthly one as it is, a third of a quarterly one, a twelfth of a yearly one.
 *
 * One period's amount is what remit takes for it at most, in the token's smallest unit.
 * @param decimals those of the contract's entry for the token
 */
export function monthlyParts(
  { amount, frequency }: Pick<SubscriptionTerms, 'amount' | 'frequency'>,
  decimals: number,
): MonthlyParts {
  return toRaw(amount, decimals) * TIMES[frequency]
}

/** The sum per month in the token's smallest unit, rounded up. Use it in sentences only; compare the exact parts. */
export function roundedUp(parts: MonthlyParts): bigint {
  return (parts + PARTS_PER_MONTH - 1n) / PARTS_PER_MONTH
}
