import type { RevenueInterval } from '@remit/client'

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** An interval's churn: the share "5%", and as counts "2 of 40"; `undefined` where nobody was a member. */
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
