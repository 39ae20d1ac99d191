import { dateOf, dayNumberOf, LAST_DAY } from '@remit/protocol/calendar'
import type * as z from 'zod'
import { DayBeyondCalendarError } from '../errors/chain.ts'
import { CalendarDate, type Day } from '../schema/numbers.ts'

/** A day as answers state it. Throws DayBeyondCalendarError. */
export function toDay(dayNumber: number): z.output<typeof Day> {
  if (dayNumber > LAST_DAY) throw new DayBeyondCalendarError(dayNumber)
  return { dayNumber, date: dateOf(dayNumber) }
}

/** The same; `null` where there is no day, or where it is after the year 9999. */
export function toDayOrNull(dayNumber: number | undefined): z.output<typeof Day> | null {
  return dayNumber === undefined || dayNumber > LAST_DAY ? null : toDay(dayNumber)
}

/** Unix seconds as ISO 8601 in UTC. */
export function isoTime(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().replace('.000Z', 'Z')
}

/** A date in a request. */
export const NamedDate = CalendarDate.refine(
  (date) => dayNumberOf(date) !== undefined,
  'is not a day of the calendar from 1970 on',
)

interface NamedDay {
  readonly dayNumber?: number | undefined
  readonly date?: string | undefined
}

/** Refuses a day that is named in both ways. */
export function refuseTwoDays({ dayNumber, date }: NamedDay, context: z.RefinementCtx): void {
  if (dayNumber === undefined || date === undefined) return
  const message = 'cannot be given together with dayNumber: name the day once'
  context.addIssue({ code: 'custom', path: ['date'], message })
}

/** The day that a request names, or today. */
export function dayNamed({ dayNumber, date }: NamedDay, today: number): number {
  return dayNumber ?? (date === undefined ? undefined : dayNumberOf(date)) ?? today
}
