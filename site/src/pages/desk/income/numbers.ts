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

/** "2 of 40 (5%)": who left and who was dropped, of those who were there at the start. */
export function churnWords({ churn: { voluntary, involuntary } }: Pick<RevenueInterval, 'churn'>): string {
  const { of } = voluntary
  if (of === 0) return 'none yet'
  const ended = voluntary.ended + involuntary.ended
  return `${ended} of ${of} (${PERCENT.format(ended / of)})`
}
