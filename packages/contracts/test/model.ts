/**
 * An independent calculation of what the contract should charge, from JavaScript's calendar and bigint arithmetic.
 * Nothing here may be taken from the contract or from packages/service/src/.
 */
import { Frequency } from '@remit/testing/support/chain/protocolOn'

const DAY_MS = 86_400_000

/** A day of the UTC calendar as the protocol counts it. */
export interface CalendarDay {
  /** Monday is 1. */
  readonly weekDay: number
  readonly dayOfMonth: number
  readonly daysInMonth: number
  readonly quarterDay: number
  readonly yearDay: number
}

export function calendarDay(dayNumber: number): CalendarDay {
  const date = new Date(dayNumber * DAY_MS)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  const daysSince = (firstMonth: number) => dayNumber - Date.UTC(year, firstMonth, 1) / DAY_MS + 1
  return {
    weekDay: date.getUTCDay() === 0 ? 7 : date.getUTCDay(),
    dayOfMonth: date.getUTCDate(),
    // Day 0 of the next month is the last day of this one.
    daysInMonth: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    quarterDay: daysSince(month - (month % 3)),
    yearDay: daysSince(0),
  }
}

export const dayNumberOf = (year: number, month: number, day: number) =>
  Date.UTC(year, month - 1, day) / DAY_MS

/** The due day that this day is for a frequency, whether or not anything can be due on it. */
export function dueDayOf(dayNumber: number, frequency: Frequency): number {
  const { weekDay, dayOfMonth, quarterDay, yearDay } = calendarDay(dayNumber)
  return [weekDay, dayOfMonth, quarterDay, yearDay][frequency] ?? 0
}

/** The share of a period between a day and the next due day. */
export function proratedShare(
  dayNumber: number,
  dueDay: number,
  amount: bigint,
  frequency: Frequency,
): bigint {
  const today = dueDayOf(dayNumber, frequency)
  if (today === dueDay) return amount
  const { daysInMonth } = calendarDay(dayNumber)
  // A quarter counts 90 days and a year 365, except on the days beyond.
  const length = [7, daysInMonth, Math.max(90, today), Math.max(365, today)][frequency] ?? 0
  const days = today > dueDay ? length - (today - dueDay) : dueDay - today
  const daily = frequency === Frequency.MONTHLY ? (amount * 12n) / 365n : amount / BigInt(length)
  return daily * BigInt(days)
}

/** What remit's caller earns of one payment. */
export function callerShare(amount: bigint, callerFee: bigint): bigint {
  return (amount * callerFee) / 10_000n - amount
}

export interface FirstCharge {
  /** Kept by the contract as the fee balance. */
  readonly fill: bigint
  readonly toProvider: bigint
}

/** How `subscribe` divides what it charges. */
export function firstCharge(input: {
  readonly dayNumber: number
  readonly nextUncheckedDay: number
  readonly dueDay: number
  readonly amount: bigint
  readonly frequency: Frequency
  readonly callerFee: bigint
}): FirstCharge {
  const { dayNumber, nextUncheckedDay, dueDay, amount, frequency, callerFee } = input
  const least = callerShare(amount, callerFee)
  const share = proratedShare(dayNumber, dueDay, amount, frequency)
  if (share < least || (share === amount && nextUncheckedDay <= dayNumber))
    return { fill: least, toProvider: 0n }
  if (frequency === Frequency.MONTHLY && (share * 100n) / amount >= 25n) {
    const fill = (amount * 25n) / 100n
    return { fill, toProvider: share - fill }
  }
  const isLong = frequency === Frequency.QUARTERLY || frequency === Frequency.YEARLY
  if (isLong && (share * 1000n) / amount >= 83n) {
    const fill = (amount * 83n) / 1000n
    return { fill, toProvider: share - fill }
  }
  return { fill: share, toProvider: 0n }
}

/** How `remit` divides a period that fills the fee balance. */
export function fillPeriod(amount: bigint, frequency: Frequency): FirstCharge {
  if (frequency === Frequency.WEEKLY) return { fill: amount, toProvider: 0n }
  const parts = frequency === Frequency.MONTHLY ? 4n : 12n
  const fill = amount / parts
  return { fill, toProvider: fill * (parts - 1n) }
}
