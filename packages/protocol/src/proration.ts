import { civilDate, dayNumberAt, daysInMonth, dueDayOn } from './calendar.ts'
import type { Frequency } from './subscription.ts'

/** What the contract's proration depends on. */
export interface ProrationInput {
  /** Unix seconds of the block. */
  readonly timestamp: number
  readonly dueDay: number
  /** One full period in protocol units. */
  readonly amount: bigint
  readonly frequency: Frequency
}

/**
 * What subscribing in the middle of a period costs: the part of the period from this day to the next due day, in protocol units.
 *
 * A day's price is rounded down before it is multiplied by the days, as the contract does (docs/protocol.md). On the due day itself it is
 * the full amount, on every other day less.
 */
export function prorate({ timestamp, dueDay, amount, frequency }: ProrationInput): bigint {
  const dayNumber = dayNumberAt(timestamp)
  const today = dueDayOn(dayNumber, frequency).dueDay
  if (today === dueDay) return amount
  const length = periodLength(dayNumber, today, frequency)
  const days = today > dueDay ? length - (today - dueDay) : dueDay - today
  // A month's price per day is that of a year with 365 days.
  const perDay = frequency === 1 ? (amount * 12n) / 365n : amount / BigInt(length)
  return perDay * BigInt(days)
}

/** The contract's period lengths in days. A quarter has 90 and a year 365; on day 91, 92 or 366 of one, as many as that. */
function periodLength(dayNumber: number, today: number, frequency: Frequency): number {
  switch (frequency) {
    case 0:
      return 7
    case 1: {
      const { year, month } = civilDate(dayNumber)
      return daysInMonth(year, month)
    }
    case 2:
      return Math.max(90, today)
    case 3:
      return Math.max(365, today)
  }
}
