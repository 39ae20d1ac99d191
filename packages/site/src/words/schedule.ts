import { nthDueDay } from '@remit/protocol/calendar'
import { dayAndMonth, dayFormat } from './time.ts'

/** How often a plan is due, and on which day, as the contract counts. */
export interface Schedule {
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency: 0 | 1 | 2 | 3
  /** The day within the week (1 is Monday), month, quarter or year, counted from 1. */
  readonly dueDay: number
}

const PERIODS = ['week', 'month', 'quarter', 'year'] as const
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

/** "month". */
export function periodWord({ frequency }: Pick<Schedule, 'frequency'>): string {
  return PERIODS[frequency]
}

/** The day number of 1 January 2026: days of a year are shown as dates of a year without a 29 February. */
export const COMMON_YEAR = 20_454

const dayAndWholeMonth = dayFormat({ day: 'numeric', month: 'long' })

/**
 * "every month on the 5th", "every year on 5 November". The days of quarters and years are those of a common year: in a
 * leap year they are a day earlier from March on, which only the dates of single payments show.
 */
export function scheduleWords({ frequency, dueDay }: Schedule): string {
  switch (frequency) {
    case 0:
      return `every week on ${WEEKDAYS[dueDay - 1] ?? `day ${dueDay}`}`
    case 1:
      return `every month on the ${ordinal(dueDay)}`
    case 2:
      return `every quarter on ${listed(datesIn({ frequency, dueDay }, 4, dayAndMonth)) || `day ${dueDay}`}`
    case 3:
      return `every year on ${listed(datesIn({ frequency, dueDay }, 1, dayAndWholeMonth)) || `day ${dueDay}`}`
  }
}

/** The first due days of a common year. */
function datesIn({ frequency, dueDay }: Schedule, count: number, format: typeof dayAndMonth): string[] {
  return Array.from({ length: count }, (_, index) =>
    nthDueDay(frequency, dueDay, COMMON_YEAR, index + 1),
  ).flatMap((day) => (day === undefined ? [] : [format(day)]))
}

/** "11 Jan, 11 Apr, 11 Jul and 11 Oct". */
function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words)
}

/** "5th". */
export function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}
