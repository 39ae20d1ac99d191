import type { HistoryEvent, RevenueInterval } from '@remit/client'
import { dateOf, dayNumberAt } from '@remit/protocol/calendar'
import { type Figures, hasMoved, type Sums, sumsOf } from '../../plan/sums.ts'
import { type Day, dayWords, monthWords } from '../../words/time.ts'

/**
 * The day number on which a plan was published; `undefined` where that event is not among those that are known. It is the
 * first event of each plan.
 */
export function publishedDay(
  events: readonly Pick<HistoryEvent, 'eventName' | 'timestamp'>[],
): number | undefined {
  const created = events.find(({ eventName }) => eventName === 'Created')
  return created && dayNumberAt(created.timestamp)
}

interface Rows {
  readonly token: Sums['token']
  readonly intervals: readonly (Figures & Pick<RevenueInterval, 'from'>)[]
}

interface Range {
  /** The first day that was read. */
  readonly from: Day
  readonly period: 'week' | 'month'
  /** Day number; `undefined` where it is not known. */
  readonly published: number | undefined
}

/**
 * From when on a plan's payments are added up, to be followed by what they come to: never a day before it was published. Of an
 * older plan it names the week or month in which its first payment was.
 */
export function sinceWords({ token, intervals }: Rows, { from, period, published }: Range): string {
  if (published !== undefined) return sinceDayWords(from, published)
  const first = intervals.find((interval) => hasMoved(sumsOf(token, interval)))?.from ?? from
  return period === 'week' ? `the week of ${dayWords(first)}` : monthWords(first)
}

/** The same where nothing was paid: the day from which on that is known. */
export function sinceDayWords(from: Day, published: number | undefined): string {
  if (published === undefined || published < from.dayNumber) return dayWords(from)
  return `it was published on ${dayWords({ dayNumber: published, date: dateOf(published) })}`
}
