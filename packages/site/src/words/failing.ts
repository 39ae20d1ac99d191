import type { GetAccountOutlookAnswer, OutlookCharge } from '@remit/client'

/**
 * The charges that fail in a charge's token before it. They are of other plans: its own would have ended. What is to be added for a charge
 * (`toAdd`) counts them too.
 */
export function failingBefore(
  charge: OutlookCharge,
  { charges }: Pick<GetAccountOutlookAnswer, 'charges'>,
): readonly OutlookCharge[] {
  const before = charges.slice(0, charges.indexOf(charge))
  return before.filter(({ verdict, token }) => verdict === 'fails' && token === charge.token)
}

/** How many payments of other plans a sum for one payment counts too. */
export function othersWords(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? ' and the one of another plan that fails before it'
    : ` and the ${count} of other plans that fail before it`
}
