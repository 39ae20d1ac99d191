import { UnsafeTransactionError } from './errors.ts'

/** Days from one due day to the next, and how many due days make a cycle of a week or a year. */
interface PeriodLength {
  readonly shortest: number
  readonly longest: number
  readonly perCycle: number
  readonly shortestCycle: number
  readonly longestCycle: number
}

const YEAR = { shortestCycle: 365, longestCycle: 366 }

/** By frequency: weekly, monthly, quarterly, yearly. */
const PERIODS: readonly PeriodLength[] = [
  { shortest: 7, longest: 7, perCycle: 1, shortestCycle: 7, longestCycle: 7 },
  { shortest: 28, longest: 31, perCycle: 12, ...YEAR },
  { shortest: 90, longest: 92, perCycle: 4, ...YEAR },
  { shortest: 365, longest: 366, perCycle: 1, ...YEAR },
]

/** How many due days there are at most in so many days in a row. */
export function mostDueDays(frequency: number, days: number): bigint {
  const { shortest, perCycle, shortestCycle } = periodOf(frequency)
  const rest = Math.min(perCycle, Math.ceil((days % shortestCycle) / shortest))
  return BigInt(Math.floor(days / shortestCycle) * perCycle + rest)
}

/** How many there are at least. */
export function leastDueDays(frequency: number, days: number): bigint {
  const { longest, perCycle, longestCycle } = periodOf(frequency)
  return BigInt(Math.floor(days / longestCycle) * perCycle + Math.floor((days % longestCycle) / longest))
}

/** In so many days in a row there are this many due days at least. */
export function daysWith(frequency: number, dueDays: number): number {
  const { longest, perCycle, longestCycle } = periodOf(frequency)
  return Math.floor(dueDays / perCycle) * longestCycle + (dueDays % perCycle) * longest
}

/** Throws UnsafeTransactionError for a frequency that the protocol does not have. */
function periodOf(frequency: number): PeriodLength {
  const period = PERIODS[frequency]
  if (period === undefined) throw new UnsafeTransactionError(`the contract has no frequency ${frequency}`)
  return period
}
