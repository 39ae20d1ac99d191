export const SECONDS_PER_DAY = 86_400

/** The number of a time's day: unix seconds / 86400. */
export const dayOf = (timestamp: number) => Math.floor(timestamp / SECONDS_PER_DAY)

/** Formats a time as YYYY-MM-DD and the time of day in UTC. */
export const formatTime = (timestamp: number) => new Date(timestamp * 1000).toISOString().replace('.000', '')

/** The greatest due day of each frequency. */
const LAST_DUE_DAYS = [7, 28, 90, 365] as const

/**
 * The due day of a frequency on this day, or on the last day before it that can be one. The 29th to the 31st, days 91
 * and 92 of a quarter and day 366 of a year cannot be due days.
 */
export function dueDayAtOrBefore(dayNumber: number, frequency: 0 | 1 | 2 | 3): number {
  const date = new Date(dayNumber * SECONDS_PER_DAY * 1000)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  const daysSince = (firstMonth: number) => dayNumber - dayOf(Date.UTC(year, firstMonth, 1) / 1000) + 1
  const counts = [date.getUTCDay() || 7, date.getUTCDate(), daysSince(month - (month % 3)), daysSince(0)]
  return Math.min(counts[frequency] ?? 1, LAST_DUE_DAYS[frequency])
}
