import type { GetPaymentAnswer } from '@remit/client'

const FOR_A_DUE_DAY: ReadonlySet<string> = new Set(['period', 'feeFill', 'dropped'])

/** The day that a payment was due for, for a column of a file; empty for first payments and endings, which are due on no day. */
export function dueDate({ kind, day }: Pick<GetPaymentAnswer['payment'], 'kind' | 'day'>): string {
  return FOR_A_DUE_DAY.has(kind) ? day.date : ''
}
