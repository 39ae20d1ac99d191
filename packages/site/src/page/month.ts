import { computed } from '@preact/signals'
import { civilDate, daysOfMonth } from '@remit/protocol/calendar'
import { queryNow } from './live.ts'

/** A month in UTC. Its days are day numbers (unix time / 86400). */
export interface Month {
  /** Such as "2026-03". */
  readonly written: string
  /** Its first day. */
  readonly fromDay: number
  /** The first day of the next month. */
  readonly toDay: number
}

/** The month that the page's address names by `?month=`; `undefined` where it names none that there is. A signal: it follows the address. */
export const monthNow = computed(() => monthOf(queryNow.value.month ?? ''))

function monthOf(written: string): Month | undefined {
  const days = daysOfMonth(written)
  return days && { written, ...days }
}

/** The month that a day (a day number) is in, as addresses name it: "2026-03". */
export function writtenMonth(dayNumber: number): string {
  const { year, month } = civilDate(dayNumber)
  return `${year}-${String(month).padStart(2, '0')}`
}
