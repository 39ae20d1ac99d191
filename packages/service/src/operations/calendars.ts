import { type SubscriptionNames, withFiles } from '@remit/engine/declare/operation'
import { ACCOUNT_PAGE, AccountAnswer, getAccount } from '@remit/engine/operations/accounts/getAccount'
import { getSubscription, SubscriptionAnswer } from '@remit/engine/operations/subscriptions/getSubscription'
import type { Subscription } from '@remit/engine/presentation/subscription'
import { amountText, lineOf } from '@remit/engine/presentation/subscriptionText'
import type * as z from 'zod'
import { CALENDAR_TYPE, calendarFile } from './calendarFeed.ts'

/** An account's subscriptions, and their due days as calendars: of what it pays, and of what it is paid. */
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

/** A subscription, and its due days as a calendar. */
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
