import type { GetAccountOutlookAnswer } from '@remit/client'

type Counts = Pick<GetAccountOutlookAnswer['counts'], 'charges' | 'pays'>

/** What is covered, to be followed by "is" or "are": all payments, or those that neither wait nor are passed over. */
export function coveredWords({ charges, pays }: Counts): { readonly which: string; readonly verb: string } {
  const verb = pays === 1 ? 'is' : 'are'
  if (pays < charges) return { which: pays === 1 ? 'One payment' : `${pays} payments`, verb }
  return { which: pays === 1 ? 'The one payment' : `All ${pays} payments`, verb }
}

/** What is said of payments whose due day remit passes over. */
export function skippedWords(count: number): string {
  return `${count === 1 ? 'One payment is' : `${count} payments are`} passed over and never collected.`
}
