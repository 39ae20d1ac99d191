/** A day of the protocol, which is a day in UTC. */
export interface Day {
  /** Unix time / 86400. */
  readonly dayNumber: number
  /** "2026-12-05". */
  readonly date: string
}

/** A way to write days by their day numbers. */
export function dayFormat(options: Intl.DateTimeFormatOptions): (dayNumber: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (dayNumber) => format.format(dayNumber * 86_400_000)
}

const SHORT = { day: 'numeric', month: 'short' } as const
const DAY = dayFormat({ weekday: 'short', ...SHORT, year: 'numeric' })

/** "Sat, 5 Dec 2026": the day in UTC, as the protocol counts. */
export const dayWords = (day: Day) => DAY(day.dayNumber)

const WEEKDAY = dayFormat({ weekday: 'short', ...SHORT })

/** "Sat 5 Dec": where the year stands above it. */
export const weekdayWords = (day: Pick<Day, 'dayNumber'>) => WEEKDAY(day.dayNumber)

/** "5 Dec". */
export const dayAndMonth = dayFormat(SHORT)

/** "5 Dec 2026": a day in UTC in a table, where many stand below each other. */
export const dateWords = dayFormat({ dateStyle: 'medium' })

/** "28 Dec", with the year where it is more than eleven months away: for verdicts and buttons. */
export function shortDayWords(day: Day, today: number | null | undefined): string {
  const isNear = today !== null && today !== undefined && Math.abs(day.dayNumber - today) < 335
  return (isNear ? dayAndMonth : dateWords)(day.dayNumber)
}

const LOCAL_START = new Intl.DateTimeFormat('en-GB', { ...SHORT, hour: '2-digit', minute: '2-digit' })

/**
 * When a day begins for the reader, where the date is another one there: "3 Mar, 19:00"; else `undefined`. Payments are
 * taken soon after a day has begun.
 */
export function localStartWords(day: Day): string | undefined {
  const begins = new Date(day.dayNumber * 86_400_000)
  return begins.getDate() === begins.getUTCDate() ? undefined : LOCAL_START.format(begins)
}

const LOCAL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const UTC = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const UTC_TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** "27 Nov 2026, 15:03", in the reader's zone. */
export const momentWords = (at: Date) => LOCAL.format(at)

/** "27 Nov 2026, 15:03 (14:03 UTC)": for texts that somebody in another zone may read. */
export function momentUtcWords(at: Date): string {
  return `${momentWords(at)} (${utcWords(at) ?? 'UTC'})`
}

/** "14:03 UTC", with the date where it is another one there; `undefined` where the reader's zone is UTC. */
export function utcWords(at: Date): string | undefined {
  if (at.getTimezoneOffset() === 0) return undefined
  const isSameDay = at.getDate() === at.getUTCDate()
  return `${(isSameDay ? UTC_TIME : UTC).format(at)} UTC`
}

const MONTH = dayFormat({ month: 'long', year: 'numeric' })
const MONTH_ALONE = dayFormat({ month: 'short' })

/** "March 2026". */
export const monthWords = ({ dayNumber }: Pick<Day, 'dayNumber'>) => MONTH(dayNumber)

/** What a chart calls a month or week that begins on a day; under its axis January has its year: "Jan ’27". */
export function chartPlace(from: Day, period: 'week' | 'month'): { name: string; short: string } {
  const { dayNumber, date } = from
  if (period === 'week') return { name: `Week of ${dayWords(from)}`, short: dayAndMonth(dayNumber) }
  const year = date.slice(5, 7) === '01' ? ` ’${date.slice(2, 4)}` : ''
  return { name: MONTH(dayNumber), short: `${MONTH_ALONE(dayNumber)}${year}` }
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** The longest time that is counted in days: until the next payment of a yearly plan. */
const YEAR_DAYS = 366

/**
 * "tomorrow", "in 47 days", counted in days of the chain's clock: weeks and months would be rounded. `undefined` beyond a year,
 * where the date says more.
 */
export function daysAwayWords(day: Day, today: number): string | undefined {
  const days = day.dayNumber - today
  return Math.abs(days) > YEAR_DAYS ? undefined : RELATIVE.format(days, 'day')
}

/** "2 minutes", rounded: for what took about that long. */
export function durationWords(seconds: number): string {
  return inUnits(Math.round(seconds), Math.round)
}

/** "2 minutes", rounded up: for what takes that long at most. */
export function atMostWords(seconds: number): string {
  return inUnits(Math.ceil(seconds), Math.ceil)
}

function inUnits(seconds: number, round: (count: number) => number): string {
  const rows = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const
  const [unit, name] = rows.find(([size]) => seconds >= size) ?? [1, 'second']
  const count = Math.max(1, round(seconds / unit))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
