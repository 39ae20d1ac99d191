import { cleanText } from '@remit/protocol/text'
import type * as z from 'zod'
import type { Quantity, Token } from '../schema/amount.ts'
import type { Day } from '../schema/numbers.ts'
import type { Subscription } from './subscription.ts'

// Words of answers for tools, whose readers are agents.

/** "10.5 USDC"; the token's address where it has no symbol. */
export function amountText(
  { amount }: Pick<Quantity, 'amount'>,
  token: Pick<Token, 'symbol' | 'address'>,
): string {
  return `${amount} ${token.symbol ?? token.address}`
}

export function dayText(day: z.output<typeof Day> | null): string {
  return day?.date ?? 'never'
}

/** A stranger's text in quotes, so that an agent reads it as data. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** A line of a stranger's text has this many characters at most. */
export const LINE = 80

/** A stranger's text as one line; `null` where it says nothing. */
export function lineOf(text: string | null | undefined): string | null {
  const line = text?.trim() ?? ''
  return line === '' ? null : cleanText(line, LINE)
}

export function subscriptionText(subscription: z.output<typeof Subscription>): string {
  const { id, provider, token, cancelled, frequencyLabel, dueDay, nextDue } = subscription
  const due = cancelled ? 'cancelled' : `next due ${dayText(nextDue)}`
  const price = `${amountText(subscription, token)} ${frequencyLabel.toLowerCase()} on due day ${dueDay}`
  return `${id}: ${price}, token ${token.address}, provider ${provider}, ${due}`
}

/** The most rows of a list in a text. The answer has all of them. */
const MOST_ROWS = 20

/** Rows as lines of a list, the first MOST_ROWS of them. */
export function listText(rows: readonly string[]): string[] {
  const left = rows.length - MOST_ROWS
  const lines = rows.slice(0, MOST_ROWS).map((row) => `- ${row}`)
  return left > 0 ? [...lines, `- and ${left} more, which structuredContent has`] : lines
}

/** A page of a list: its title with the number of rows, the rows, and where the next page begins. */
export function pageText(
  title: string,
  rows: readonly string[],
  page?: { readonly hasMore: boolean; readonly nextCursor: string | null },
): string {
  const more =
    page?.hasMore && page.nextCursor !== null ? [`More with after: ${quoted(page.nextCursor)}.`] : []
  return [`${title}: ${rows.length === 0 ? 'none' : rows.length}.`, ...listText(rows), ...more].join('\n')
}
