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
