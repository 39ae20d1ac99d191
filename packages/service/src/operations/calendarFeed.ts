import type { Subscription } from '@remit/engine/presentation/subscription'
import { dateOf, dueDays, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import ical, {
  escape as escapeText,
  type ICalCalendar,
  ICalEventRepeatingFreq,
  ICalEventTransparency,
  ICalWeekday,
} from 'ical-generator'
import type * as z from 'zod'

/** The media type of calendar files (RFC 5545). */
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

/** Days ahead for which quarterly and yearly due days are written one by one: three years. */
const DAYS_AHEAD = 3 * 365

const DAY_MS = SECONDS_PER_DAY * 1000

/** Weekly due days count from Monday. */
const WEEKDAYS = [
  ICalWeekday.MO,
  ICalWeekday.TU,
  ICalWeekday.WE,
  ICalWeekday.TH,
  ICalWeekday.FR,
  ICalWeekday.SA,
  ICalWeekday.SU,
]

/** One subscription of a calendar, and what its due day means for the calendar's reader. */
interface CalendarRow {
  readonly subscription: z.output<typeof Subscription>
  /** Such as "Pay 12.5 USDC". */
  readonly title: string
}

/** What the file says of itself. */
export interface CalendarFeed {
  readonly name: string
  readonly chainId: number
  readonly asOf: { readonly timestamp: number }
  readonly rows: readonly CalendarRow[]
}

/**
 * Due days as a calendar that other programs subscribe to. Each is an event of a whole day in UTC.
 *
 * Weekly and monthly ones are rules. Quarterly and yearly ones are dates for three years ahead: the contract counts the
 * days of a quarter and of a year, which leap years shift, and calendars rarely know such a rule. A cancelled
 * subscription has no event. The same due day keeps its UID in every version of the file.
 */
export function calendarFile({ name, chainId, asOf, rows }: CalendarFeed): string {
  // The library escapes texts of events, but not the calendar's name, which may have a token's symbol in it.
  const calendar = ical({
    name: escapeText(name, false),
    prodId: '//Remit//Due days//EN',
    ttl: SECONDS_PER_DAY,
  })
  for (const row of rows) addEvents(calendar, row, { chainId, stamp: new Date(asOf.timestamp * 1000) })
  return calendar.toString()
}

function addEvents(
  calendar: ICalCalendar,
  { subscription, title }: CalendarRow,
  { chainId, stamp }: { readonly chainId: number; readonly stamp: Date },
): void {
  const { id, provider, token, frequency, dueDay, nextDue } = subscription
  if (nextDue === null) return
  const event = (uid: string, dayNumber: number) =>
    calendar.createEvent({
      id: `${uid}@remit`,
      start: new Date(dayNumber * DAY_MS),
      allDay: true,
      stamp,
      summary: title,
      description: `Subscription ${id} of provider ${provider} on chain ${chainId}, token ${token.address}. Charged in UTC, on this day or later.`,
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  const series = `${chainId}-${id}`
  const weekday = WEEKDAYS[dueDay - 1]
  if (frequency === 0 && weekday) {
    event(series, nextDue.dayNumber).repeating({ freq: ICalEventRepeatingFreq.WEEKLY, byDay: [weekday] })
  } else if (frequency === 1) {
    event(series, nextDue.dayNumber).repeating({ freq: ICalEventRepeatingFreq.MONTHLY, byMonthDay: [dueDay] })
  } else {
    const last = nextDue.dayNumber + DAYS_AHEAD - 1
    for (const day of dueDays(frequency, dueDay, nextDue.dayNumber, last))
      event(`${series}-${dateOf(day)}`, day)
  }
}
