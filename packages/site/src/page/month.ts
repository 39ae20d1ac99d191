import { computed } from '@preact/signals'
import { civilDate, daysOfMonth } from '@remit/protocol/calendar'
import { queryNow } from './live.ts'

/** A month in UTC, such as "2026-03": its first day, and the day after its last, as day numbers (unix time / 86400). */
export interface Month {
  readonly written: string
  readonly fromDay: number
  readonly toDay: number
}

/** The month that the page's address names; `undefined` where it names none. */
export const monthNow = computed(() => monthOf(queryNow.value.month ?? ''))

function monthOf(written: string): Month | undefined {
  const days = daysOfMonth(written)
  return days && { written, ...days }
}

/** The month that a day is in, as addresses name it. */
export function writtenMonth(dayNumber: number): string {
  const { year, month } = civilDate(dayNumber)
  return `${year}-${String(month).padStart(2, '0')}`
}
