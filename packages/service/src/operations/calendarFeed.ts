import type { Covers } from '@remit/engine/presentation/covers'
import type { Subscription } from '@remit/engine/presentation/subscription'
import { countDueDays, dateOf, dayNumberAt, dueDays, SECONDS_PER_DAY } from '@remit/protocol/calendar'
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
  /** How long its payer covers it, where the calendar is a payer's. */
  readonly covers?: z.output<typeof Covers> | null
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
 *
 * A payer's events end with the last payment that money and permission cover. The one that fails then is an event of its
 * own, and what would come after it is left out: a payment that fails ends the subscription.
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
  { subscription, title, covers = null }: CalendarRow,
  { chainId, stamp }: { readonly chainId: number; readonly stamp: Date },
): void {
  const { id, provider, token, frequency, dueDay, nextDue } = subscription
  if (nextDue === null) return
  const failsOn = covers?.failsOn?.dayNumber
  const asOf = `as money and permission stood on ${dateOf(dayNumberAt(stamp.getTime() / 1000))}`
  const about = `Plan ${id} of provider ${provider} on chain ${chainId}, token ${token.address}.`
  const event = (uid: string, dayNumber: number, words: { summary: string; description: string }) =>
    calendar.createEvent({
      ...words,
      id: `${uid}@remit`,
      start: new Date(dayNumber * DAY_MS),
      allDay: true,
      stamp,
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  const covered = covers?.until ? ` Covered through ${covers.until.date}, ${asOf}.` : ''
  const payment = {
    summary: title,
    description: `Collected on this day in UTC, or later.${covered} ${about}`,
  }
  const series = `${chainId}-${id}`
  const weekday = WEEKDAYS[dueDay - 1]
  const last = (failsOn ?? Number.POSITIVE_INFINITY) - 1
  const count = countDueDays(frequency, dueDay, nextDue.dayNumber, last)
  const rule = failsOn === undefined ? {} : { count }
  const horizon = nextDue.dayNumber + DAYS_AHEAD - 1
  if (frequency === 0 && weekday) {
    const freq = ICalEventRepeatingFreq.WEEKLY
    if (count > 0) event(series, nextDue.dayNumber, payment).repeating({ freq, byDay: [weekday], ...rule })
  } else if (frequency === 1) {
    const freq = ICalEventRepeatingFreq.MONTHLY
    if (count > 0)
      event(series, nextDue.dayNumber, payment).repeating({ freq, byMonthDay: [dueDay], ...rule })
  } else {
    for (const day of dueDays(frequency, dueDay, nextDue.dayNumber, Math.min(last, horizon)))
      event(`${series}-${dateOf(day)}`, day, payment)
  }
  if (failsOn === undefined || failsOn > horizon) return
  const lacks = covers?.limitedBy === 'allowance' ? 'The permission is too small' : 'Too little money'
  // A payment that is overdue is tried as soon as somebody collects.
  event(`${series}-${dateOf(failsOn)}`, Math.max(failsOn, dayNumberAt(stamp.getTime() / 1000)), {
    summary: `Not covered: ${title}`,
    description: `${lacks} for this payment, ${asOf}. A payment that fails ends the subscription, so this calendar has none after it. ${about}`,
  })
}
