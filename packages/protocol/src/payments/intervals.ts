import { civilDate, daysInMonth } from '../calendar.ts'

export const INTERVALS = ['day', 'week', 'month'] as const

export type Interval = (typeof INTERVALS)[number]

/** Days from `fromDay` up to, and without, `toDay`. */
export interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/**
 * Divides days into calendar intervals, in UTC. Weeks begin on Monday. The first and the last one can be a part of theirs.
 * @param most the caller's limit. Where there are more, one more than that is returned, which shows it
 */
export function intervalsOf({ fromDay, toDay }: DayRange, interval: Interval, most: number): DayRange[] {
  const ranges: DayRange[] = []
  for (let day = fromDay; day < toDay && ranges.length <= most; ) {
    const next = Math.min(toDay, nextBegin(day, interval))
    ranges.push({ fromDay: day, toDay: next })
    day = next
  }
  return ranges
}

function nextBegin(day: number, interval: Interval): number {
  switch (interval) {
    case 'day':
      return day + 1
    case 'week':
      // Day 0 was a Thursday.
      return day + 7 - ((day + 3) % 7)
    case 'month': {
      const { year, month, day: dayOfMonth } = civilDate(day)
      return day + daysInMonth(year, month) - dayOfMonth + 1
    }
  }
}
