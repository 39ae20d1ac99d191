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
 * The part of a period from this day to the next due day, in protocol units, to the wei.
 *
 * A day's price is rounded down before it is multiplied by the days, as the contract does (docs/protocol.md). On the due day itself it is the full amount, on every other day less.
 */
export function prorate({ timestamp, dueDay, amount, frequency }: ProrationInput): bigint {
  const dayNumber = dayNumberAt(timestamp)
  const today = dueDayOn(dayNumber, frequency).dueDay
  if (today === dueDay) return amount
  const length = periodLength(dayNumber, today, frequency)
  const days = today > dueDay ? length - (today - dueDay) : dueDay - today
  const perDay = frequency === 1 ? (amount * 12n) / 365n : amount / BigInt(length)
  return perDay * BigInt(days)
}

// The contract's period lengths. A quarter has 90 days and a year 365, but on days 91, 92 and 366 the number of that day.
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
