import { withFiles } from '@remit/engine/declare/operation'
import { ACCOUNT_PAGE, AccountAnswer, getAccount } from '@remit/engine/operations/accounts/getAccount'
import { getSubscription, SubscriptionAnswer } from '@remit/engine/operations/subscriptions/getSubscription'
import { amountText } from '@remit/engine/presentation/subscriptionText'
import { CALENDAR_TYPE, calendarFile } from './calendarFeed.ts'

/** An account's subscriptions, and their due days as calendars: of what it pays, and of what it is paid. */
export const getAccountWithCalendars = withFiles(getAccount, AccountAnswer, [
  {
    name: 'account_calendar',
    path: '/accounts/:address/calendar.ics',
    first: ACCOUNT_PAGE.max,
    contentType: CALENDAR_TYPE,
    summary: 'The due days of what an account pays, as a calendar',
    render: ({ account, subscribedTo, ...read }) =>
      calendarFile({
        ...read,
        name: `Payments of ${account}`,
        rows: subscribedTo
          .filter(({ statusLabel }) => statusLabel === 'ACTIVE')
          .map(({ subscription }) => ({
            subscription,
            title: `Pay ${amountText(subscription, subscription.token)}`,
          })),
      }),
  },
  {
    name: 'provider_calendar',
    path: '/providers/:address/calendar.ics',
    first: ACCOUNT_PAGE.max,
    contentType: CALENDAR_TYPE,
    summary: 'The due days of what a provider is paid, as a calendar',
    render: ({ account, created, ...read }) =>
      calendarFile({
        ...read,
        name: `Income of ${account}`,
        rows: created.map(({ subscription, totalSubscribers }) => ({
          subscription,
          title: `Income: ${amountText(subscription, subscription.token)} each (subscribers: ${totalSubscribers})`,
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
    render: ({ subscription, ...read }) => {
      const title = `Due: ${amountText(subscription, subscription.token)}`
      return calendarFile({ ...read, name: title, rows: [{ subscription, title }] })
    },
  },
])
