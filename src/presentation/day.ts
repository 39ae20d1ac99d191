import type * as z from 'zod'
import { dateOf, LAST_DAY } from '../protocol/calendar.ts'
import type { Day } from '../schema/numbers.ts'

/** A day as answers name it. */
export function toDay(dayNumber: number): z.output<typeof Day> {
  return { dayNumber, date: dateOf(dayNumber) }
}

/** A day that may not come: `null` where there is none, or none before the year 10000. */
export function toDayOrNull(dayNumber: number | undefined): z.output<typeof Day> | null {
  return dayNumber === undefined || dayNumber > LAST_DAY ? null : toDay(dayNumber)
}

/** Unix seconds as ISO 8601 in UTC. */
export function isoTime(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().replace('.000Z', 'Z')
}
