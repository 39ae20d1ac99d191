import { dateOf, nthDueDay } from '@remit/protocol/calendar'
import type { Schedule } from './schedule.ts'
import type { Day } from './time.ts'

/** The next days on which a plan is due, by the contract's own calendar. @param from the first may be this day number */
export function nextDueDays({ frequency, dueDay }: Schedule, from: number, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => nthDueDay(frequency, dueDay, from, index + 1)).flatMap(
    (dayNumber) => (dayNumber === undefined ? [] : [{ dayNumber, date: dateOf(dayNumber) }]),
  )
}
