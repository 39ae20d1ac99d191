import type { Subscription } from '@remit/client'
import { dayWords } from '../../../words/time.ts'
import { dueCount } from './charges.ts'

/** What `takenSoon` pays for: the payments that are due, today's too, and not collected yet. Of use where there are any. */
export function soonWords(
  plan: Pick<Subscription, 'overdue' | 'overdueCount' | 'nextDue'>,
  today: number | undefined,
): string {
  const [first] = plan.overdue
  if (first === undefined) return 'today’s payment'
  const count = dueCount(plan, today)
  return count === 1
    ? `the payment of ${dayWords(first)}`
    : `${count} payments, the first of them of ${dayWords(first)}`
}
