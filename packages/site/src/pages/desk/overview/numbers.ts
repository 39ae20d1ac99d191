import type { RevenueInterval } from '@remit/client'

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** The share of members that an interval cost: "5%", and "2 of 40" beside it; `undefined` where nobody was a member. */
export function churnWords({
  churn: { voluntary, involuntary },
}: Pick<RevenueInterval, 'churn'>): { readonly share: string; readonly of: string } | undefined {
  const { of } = voluntary
  if (of === 0) return undefined
  const ended = voluntary.ended + involuntary.ended
  return {
    share: PERCENT.format(ended / of),
    of: `${ended.toLocaleString('en')} of ${of.toLocaleString('en')}`,
  }
}
