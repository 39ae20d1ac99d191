import { countDueDays, nextDueDay, nthDueDay } from './calendar.ts'
import type { SubscriptionTerms } from './subscription.ts'

/** When a subscription is charged next, and for which days remit is late. */
interface DueSchedule {
  /** The first due day from today on that remit has not checked; `null` past the calendar's end. */
  readonly nextDue: number | null
  /** Due days before today that remit has not checked, the oldest first; at most MOST_OVERDUE. */
  readonly overdue: readonly number[]
  /** How many overdue days there are in all. */
  readonly overdueCount: number
}

/** How many overdue days are listed: a year of months, or a quarter of weeks. `overdueCount` counts them all. */
export const MOST_OVERDUE = 12

/** The next due day, and the days for which remit is late. Nothing is due after the provider's cancellation. */
export function dueSchedule(
  { frequency, dueDay, cancelled }: Pick<SubscriptionTerms, 'frequency' | 'dueDay' | 'cancelled'>,
  { nextUncheckedDay, today }: { readonly nextUncheckedDay: number; readonly today: number },
): DueSchedule {
  if (cancelled) return { nextDue: null, overdue: [], overdueCount: 0 }
  const overdueCount = countDueDays(frequency, dueDay, nextUncheckedDay, today - 1)
  const overdue = Array.from({ length: Math.min(overdueCount, MOST_OVERDUE) }, (_, index) =>
    nthDueDay(frequency, dueDay, nextUncheckedDay, index + 1),
  )
  return {
    nextDue: nextDueDay(frequency, dueDay, Math.max(today, nextUncheckedDay)) ?? null,
    overdue: overdue.filter((day) => day !== undefined),
    overdueCount,
  }
}
