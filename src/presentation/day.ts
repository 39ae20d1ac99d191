import type * as z from 'zod'
import { DayBeyondCalendarError } from '../errors/chain.ts'
import { dateOf, LAST_DAY } from '../protocol/calendar.ts'
import type { Day } from '../schema/numbers.ts'

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
