import { type SubscriptionNames, withFiles } from '@remit/engine/declare/operation'
import { ACCOUNT_PAGE, AccountAnswer, getAccount } from '@remit/engine/operations/accounts/getAccount'
import { getSubscription, SubscriptionAnswer } from '@remit/engine/operations/subscriptions/getSubscription'
import type { Covers } from '@remit/engine/presentation/accountRow'
import type { Subscription } from '@remit/engine/presentation/subscription'
import { amountText, lineOf } from '@remit/engine/presentation/subscriptionText'
import { countDueDays, dateOf, dayNumberAt, dueDays, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import ical, {
  escape as escapeText,
  type ICalCalendar,
  ICalEventRepeatingFreq,
  ICalEventTransparency,
  ICalWeekday,
} from 'ical-generator'
import type * as z from 'zod'

// Due days as calendar files (.ics) that other programs subscribe to: `calendarFile` writes one, and at the end are the two operations
// that answer such files beside their JSON.

/** The media type of calendar files (RFC 5545). */
const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

/** Days ahead for which quarterly and yearly due days are written one by one: three years. */
const DAYS_AHEAD = 3 * 365

const DAY_MS = SECONDS_PER_DAY * 1000

/** The weekday of each weekly due day: due days count from 1 on Monday, so that of day 1 is at place 0. */
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
interface CalendarFeed {
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

/** Adds the events of one subscription: its payments, as a rule or as dates, and the one that will fail. @param stamp the time of the block */
function addEvents(
  calendar: ICalCalendar,
  { subscription, title, covers = null }: CalendarRow,
  { chainId, stamp }: { readonly chainId: number; readonly stamp: Date },
): void {
  const { id, provider, token, frequency, dueDay, nextDue } = subscription
  if (nextDue === null) return
  const failsOn = covers?.failsOn?.dayNumber
  const today = dayNumberAt(stamp.getTime() / 1000)
  const asOf = `as money and permission stood on ${dateOf(today)}`
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
  // The last day that is paid for, as the pages say it.
  const covered =
    failsOn === undefined || covers?.periods === 0 ? '' : ` Covered through ${dateOf(failsOn - 1)}, ${asOf}.`
  const payment = {
    summary: title,
    description: `Collected on this day in UTC, or later.${covered} ${about}`,
  }
  // Payments up to the last that is covered: of weekly (0) and monthly (1) subscriptions as a rule, of others as dates.
  const series = `${chainId}-${id}`
  const weekday = WEEKDAYS[dueDay - 1]
  const lastCovered = (failsOn ?? Number.POSITIVE_INFINITY) - 1
  const count = countDueDays(frequency, dueDay, nextDue.dayNumber, lastCovered)
  // Without a payment that will fail, a rule has no end.
  const end = failsOn === undefined ? {} : { count }
  const horizon = nextDue.dayNumber + DAYS_AHEAD - 1
  if (frequency === 0 && weekday) {
    const freq = ICalEventRepeatingFreq.WEEKLY
    if (count > 0) event(series, nextDue.dayNumber, payment).repeating({ freq, byDay: [weekday], ...end })
  } else if (frequency === 1) {
    const freq = ICalEventRepeatingFreq.MONTHLY
    if (count > 0) event(series, nextDue.dayNumber, payment).repeating({ freq, byMonthDay: [dueDay], ...end })
  } else {
    for (const day of dueDays(frequency, dueDay, nextDue.dayNumber, Math.min(lastCovered, horizon)))
      event(`${series}-${dateOf(day)}`, day, payment)
  }
  if (failsOn === undefined || failsOn > horizon) return
  const lacks = covers?.limitedBy === 'allowance' ? 'The permission is too small' : 'Too little money'
  // Not before today: a payment that is overdue is tried as soon as somebody collects.
  event(`${series}-${dateOf(failsOn)}`, Math.max(failsOn, today), {
    summary: `Not covered: ${title}`,
    description: `${lacks} for this payment, ${asOf}. A payment that fails ends the subscription, so this calendar has none after it. ${about}`,
  })
}

/** The operation `get_account`, with two files beside its JSON: the due days of what the account pays, and of what it is paid. */
export const getAccountWithCalendars = withFiles(getAccount, AccountAnswer, [
  {
    name: 'account_calendar',
    path: '/accounts/:address/calendar.ics',
    first: ACCOUNT_PAGE.max,
    contentType: CALENDAR_TYPE,
    summary: 'The due days of what an account pays, as a calendar',
    names: ({ subscribedTo }) => charged(subscribedTo).map(({ subscription }) => subscription),
    render: ({ account, subscribedTo, ...read }, names) =>
      calendarFile({
        ...read,
        name: `Payments of ${account}`,
        rows: charged(subscribedTo).map(({ subscription, covers }) => ({
          subscription,
          covers,
          title: `Pay ${priceText(subscription)}${planWords(subscription, names)}`,
        })),
      }),
  },
  {
    name: 'provider_calendar',
    path: '/providers/:address/calendar.ics',
    first: ACCOUNT_PAGE.max,
    contentType: CALENDAR_TYPE,
    summary: 'The due days of what a provider is paid, as a calendar',
    names: ({ created }) => created.map(({ subscription }) => subscription),
    render: ({ account, created, ...read }, names) =>
      calendarFile({
        ...read,
        name: `Income of ${account}`,
        rows: created.map(({ subscription, totalSubscribers }) => ({
          subscription,
          title:
            `Income: ${priceText(subscription)} each (members: ${totalSubscribers})` +
            planWords(subscription, names),
        })),
      }),
  },
])

/** The operation `get_subscription`, with a file beside its JSON: its due days as a calendar. */
export const getSubscriptionWithCalendar = withFiles(getSubscription, SubscriptionAnswer, [
  {
    name: 'subscription_calendar',
    path: '/subscriptions/:id/calendar.ics',
    contentType: CALENDAR_TYPE,
    summary: 'The due days of a subscription, as a calendar',
    names: ({ subscription }) => [subscription],
    render: ({ subscription, ...read }, names) => {
      const title = `Due: ${priceText(subscription)}${planWords(subscription, names)}`
      return calendarFile({ ...read, name: title, rows: [{ subscription, title }] })
    },
  },
])

type Shown = z.output<typeof Subscription>

/** The memberships that are still charged. */
function charged<Row extends { readonly statusLabel: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ statusLabel }) => statusLabel === 'ACTIVE')
}

function priceText(subscription: Shown): string {
  return amountText(subscription, subscription.token)
}

/** " for Coffee each week, by Bean House": strangers' own words. A provider without a name is told by its address, short. */
function planWords({ id, provider }: Shown, names: SubscriptionNames): string {
  const { description, company } = names.get(id) ?? {}
  const plan = lineOf(description)
  return `${plan === null ? '' : ` for ${plan}`}, by ${lineOf(company) ?? `${provider.slice(0, 6)}…${provider.slice(-4)}`}`
}
