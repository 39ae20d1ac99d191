import type { RevenueInterval } from '@remit/client'

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

const SHORT = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

/** "Mar". */
export function shortMonth({ dayNumber }: { readonly dayNumber: number }): string {
  return SHORT.format(dayNumber * 86_400_000)
}

/** "March 2026". */
export function monthWords({ dayNumber }: { readonly dayNumber: number }): string {
  return MONTH.format(dayNumber * 86_400_000)
}

/**
 * "2 of 40 (5%)": who left and who was dropped, of all who were subscribed at some time of the interval. Who came and
 * went within it is among both, so the share is never more than the whole.
 */
export function churnWords({
  churn: { voluntary, involuntary },
  subscribers,
}: Pick<RevenueInterval, 'churn' | 'subscribers'>): string {
  const of = voluntary.of + subscribers.new
  if (of === 0) return 'nobody was subscribed'
  const ended = voluntary.ended + involuntary.ended
  return `${ended} of ${of} (${PERCENT.format(ended / of)})`
}
