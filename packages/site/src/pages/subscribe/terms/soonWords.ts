import type { Subscription } from '@remit/client'
import { dayWords } from '../../../words/time.ts'

/** What `takenSoon` pays for: the payments that are due, today's too, and not collected yet. Of use where there are any. */
export function soonWords(
  { overdue: [first], overdueCount, nextDue }: Pick<Subscription, 'overdue' | 'overdueCount' | 'nextDue'>,
  today: number | undefined,
): string {
  if (first === undefined) return 'today’s payment'
  const count = overdueCount + (nextDue !== null && nextDue.dayNumber === today ? 1 : 0)
  return count === 1
    ? `the payment of ${dayWords(first)}`
    : `${count} payments, the first of them of ${dayWords(first)}`
}
