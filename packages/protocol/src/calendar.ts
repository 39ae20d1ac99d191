/**
 * The calendar as the contract computes it, in UTC: first day numbers (unix time / 86400) and dates, then the due days of each frequency.
 */

import { type Frequency, isDueDay } from './subscription.ts'

export const SECONDS_PER_DAY = 86_400

/** Day number of 9999-12-31, the last day that a date of four-digit year can name. */
export const LAST_DAY = 2_932_896

/** A date in the proleptic Gregorian calendar, UTC, as the contract's date arithmetic sees it. */
export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
}

/** A day's number within a week, month, quarter or year, from 1 (of a week: Monday), and whether a subscription can be due on it. */
export type DueDay =
  | { readonly skipped: false; readonly dueDay: number }
  | { readonly skipped: true; readonly dueDay: number; readonly reason: string }

/** The day (unix time / 86400) that a unix timestamp in seconds lies in. */
export function dayNumberAt(timestamp: number): number {
  return Math.floor(timestamp / SECONDS_PER_DAY)
}

/** The day's date as YYYY-MM-DD. @throws RangeError outside 0 (1970-01-01) to LAST_DAY */
export function dateOf(dayNumber: number): string {
  if (!Number.isInteger(dayNumber) || dayNumber < 0 || dayNumber > LAST_DAY) {
    throw new RangeError(`Day ${dayNumber} has no date between 1970-01-01 and 9999-12-31`)
  }
  const { year, month, day } = civilDate(dayNumber)
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`
}

/** The day number of a date written YYYY-MM-DD, or `undefined` where the calendar has no such day. */
export function dayNumberOf(date: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return dayNumberOfCivil({ year, month, day })
}

/**
 * The date of a day number. It counts in years that begin in March, so that the leap day comes last: then month lengths repeat in a
 * fixed pattern of 153 days to five months, and 146097 days make 400 years. 719468 days lie between 0000-03-01 and 1970-01-01.
 */
export function civilDate(dayNumber: number): CivilDate {
  const sinceMarchZero = dayNumber + 719_468
  const era = Math.floor(sinceMarchZero / 146_097)
  const dayOfEra = sinceMarchZero - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** The inverse of `civilDate`. */
function dayNumberOfCivil({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/**
 * The month written YYYY-MM: its first day, and `toDay`, the one after its last (in the functions below `toDay` is included);
 * `undefined` for what is no month of 1970-01 to 9999-11. Of 9999-12 the day after has no date.
 */
export function daysOfMonth(
  written: string,
): { readonly fromDay: number; readonly toDay: number } | undefined {
  const fromDay = dayNumberOf(`${written}-01`)
  if (fromDay === undefined) return undefined
  const { year, month } = civilDate(fromDay)
  const toDay = fromDay + daysInMonth(year, month)
  return toDay > LAST_DAY ? undefined : { fromDay, toDay }
}

/** Length of the month (1 to 12), leap years included. */
export function daysInMonth(year: number, month: number): number {
  // After December comes a 13th month: the next January, since a year here ends with February.
  return dayNumberOfCivil({ year, month: month + 1, day: 1 }) - dayNumberOfCivil({ year, month, day: 1 })
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/**
 * A frequency's periods, numbered one after the other: which one a day lies in, and the first day of one.
 *
 * Every valid due day exists once in every period (28 days in each month, 90 in each quarter, 365 in
 * each year), so counting due days is counting periods.
 */
interface Periods {
  indexOf(dayNumber: number): number
  startOf(index: number): number
}

const monthPeriods = (monthsPerPeriod: number): Periods => ({
  indexOf(dayNumber) {
    const { year, month } = civilDate(dayNumber)
    return Math.floor((year * 12 + month - 1) / monthsPerPeriod)
  },
  startOf(index) {
    const months = index * monthsPerPeriod
    return dayNumberOfCivil({ year: Math.floor(months / 12), month: (months % 12) + 1, day: 1 })
  },
})

const PERIODS: Readonly<Record<Frequency, Periods>> = {
  // Day 0 was a Thursday; weeks begin on Mondays.
  0: { indexOf: (dayNumber) => Math.floor((dayNumber + 3) / 7), startOf: (index) => index * 7 - 3 },
  1: monthPeriods(1),
  2: monthPeriods(3),
  3: monthPeriods(12),
}

const PERIOD_WORDS: Readonly<Record<Frequency, string>> = { 0: 'week', 1: 'month', 2: 'quarter', 3: 'year' }

/**
 * The due day that the contract looks up for this frequency on this day.
 *
 * Due days match by equality only and are never shifted (docs/protocol.md). On the 29th to 31st of a month, on quarter
 * days 91 and 92 and on year day 366 nothing can be due.
 */
export function dueDayOn(dayNumber: number, frequency: Frequency): DueDay {
  const { indexOf, startOf } = PERIODS[frequency]
  const dueDay = dayNumber - startOf(indexOf(dayNumber)) + 1
  if (isDueDay(frequency, dueDay)) return { skipped: false, dueDay }
  const word = PERIOD_WORDS[frequency]
  return { skipped: true, dueDay, reason: `No subscription can be due on day ${dueDay} of a ${word}.` }
}

/**
 * The first day from `fromDay` on with this due day, or `undefined` where no day up to LAST_DAY has it.
 *
 * A due day that the frequency does not have (0 of an unknown subscription, say) matches no day.
 */
export function nextDueDay(frequency: Frequency, dueDay: number, fromDay: number): number | undefined {
  return nthDueDay(frequency, dueDay, fromDay, 1)
}

/** The `n`-th day with this due day, counted from 1 at the first one on or after `fromDay`; `undefined` as in `nextDueDay`. */
export function nthDueDay(
  frequency: Frequency,
  dueDay: number,
  fromDay: number,
  n: number,
): number | undefined {
  if (!isDueDay(frequency, dueDay)) return undefined
  const first = firstPeriod(frequency, dueDay, fromDay)
  const day = PERIODS[frequency].startOf(first + n - 1) + dueDay - 1
  return day <= LAST_DAY ? day : undefined
}

/** How many days from `fromDay` to `toDay`, both included, have this due day; none after LAST_DAY. */
export function countDueDays(frequency: Frequency, dueDay: number, fromDay: number, toDay: number): number {
  if (!isDueDay(frequency, dueDay)) return 0
  const first = firstPeriod(frequency, dueDay, fromDay)
  const after = firstPeriod(frequency, dueDay, Math.min(toDay, LAST_DAY) + 1)
  return Math.max(after - first, 0)
}

/** The days from `fromDay` to `toDay`, both included, with this due day, in order. */
export function dueDays(frequency: Frequency, dueDay: number, fromDay: number, toDay: number): number[] {
  const first = firstPeriod(frequency, dueDay, fromDay)
  return Array.from(
    { length: countDueDays(frequency, dueDay, fromDay, toDay) },
    (_, index) => PERIODS[frequency].startOf(first + index) + dueDay - 1,
  )
}

/** The period of the first day ≥ `fromDay` with this due day. Call it only with a due day that the frequency has. */
function firstPeriod(frequency: Frequency, dueDay: number, fromDay: number): number {
  const { indexOf, startOf } = PERIODS[frequency]
  const index = indexOf(fromDay)
  return startOf(index) + dueDay - 1 >= fromDay ? index : index + 1
}
