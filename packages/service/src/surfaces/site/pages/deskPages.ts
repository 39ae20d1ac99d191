import { ACCESS } from '@remit/engine/declare/access'
import { daysOfMonth } from '@remit/protocol/calendar'
import { definePage, type PageReads } from './definePage.ts'
import { dateOf, detailsOf, OUTLOOK_DAYS, subscriptionsIn } from './furtherReads.ts'

/** How many months of revenue are shown: a year, the present month included. */
const MONTHS = 12
/** The most plans that a provider's list of plans has, or a choice among them. */
const MOST_PLANS = 50
/** Rows of the desk's tables. */
const DESK_ROWS = { default: 25, most: 100 }
/** How many of the members in trouble, which come first, the overview shows. */
const FIRST_MEMBERS = 6

/**
 * The sections of a provider's desk, each with its own address and reads (`definePage.ts` explains the fields). One component shows all. The query's `address` is the
 * provider; without it nothing about one is read, and the page asks for it.
 */
export const desk = [
  definePage({
    name: 'desk',
    path: '/desk',
    title: 'For providers',
    description: 'What your plans bring in, what is to come, and who will not pay.',
    query: ['address'],
    reads: ({ query: { address } }, { today }): PageReads => ({
      state: { operation: 'get_protocol_state' },
      ...(address === undefined
        ? {}
        : {
            profile: profileOf(address),
            plans: plansOf(address),
            outlook: { operation: 'get_provider_outlook', input: { address, days: OUTLOOK_DAYS, first: 1 } },
            members: { operation: 'list_provider_members', input: { address, first: FIRST_MEMBERS } },
            ...(today === null
              ? {}
              : {
                  revenue: {
                    operation: 'get_provider_revenue',
                    input: { address, from: firstMonth(today), to: dateOf(today + 1), interval: 'month' },
                  },
                }),
          }),
    }),
    // One plan that is late is named.
    readsNext: ({ plans }) => {
      const late = subscriptionsIn(plans, 'subscriptions').filter(({ overdueCount = 0 }) => overdueCount > 0)
      return late.length === 1 ? detailsOf(late) : {}
    },
    subject: 'plans',
    // With many members, the outlook forecasts many payments.
    takesLong: true,
  }),
  definePage({
    name: 'desk',
    path: '/desk/members',
    title: 'Members',
    description: 'Who subscribes to your plans, until when they have paid, and who will not pay.',
    // `left`: instead of the members, those whose membership has ended.
    query: ['address', 'subscriptionId', 'subscriber', 'sort', 'order', 'left', 'first', 'after'],
    reads: ({ query: { address, left, first, after, ...query } }): PageReads => {
      if (address === undefined) return {}
      const page = { after, first: rowsOf(first) }
      const rows: PageReads =
        left === undefined
          ? { members: { operation: 'list_provider_members', input: { address, ...query, ...page } } }
          : { left: { operation: 'list_provider_payments', input: { address, ended: true, ...page } } }
      return { profile: profileOf(address), plans: plansOf(address), ...rows }
    },
    readsNext: ({ plans }) => detailsOf(subscriptionsIn(plans, 'subscriptions')),
    subject: 'members',
  }),
  definePage({
    name: 'desk',
    path: '/desk/plans',
    title: 'Plans',
    description: 'Your plans: share them, edit their descriptions, cancel them.',
    query: ['address'],
    reads: ({ query: { address } }): PageReads =>
      address === undefined
        ? {}
        : {
            profile: profileOf(address),
            plans: plansOf(address),
            // For what the contract keeps of the reserves of a cancelled plan.
            state: { operation: 'get_protocol_state' },
            // Read from the index, which alone knows when each was published.
            published: {
              operation: 'search_subscriptions',
              input: { provider: address, sort: 'newest', first: ACCESS.search.caps.developer.first },
            },
          },
    readsNext: ({ plans }) => detailsOf(subscriptionsIn(plans, 'subscriptions')),
    subject: 'plans',
  }),
  definePage({
    name: 'desk',
    path: '/desk/plans/new',
    title: 'A new plan',
    description: 'Try out a price and a day, see what they mean, and publish the plan.',
    query: ['address'],
    reads: () => ({
      state: { operation: 'get_protocol_state' },
      tokens: { operation: 'list_approved_tokens' },
    }),
  }),
  definePage({
    name: 'desk',
    path: '/desk/payments',
    title: 'Payments',
    description: 'What your members have paid, by month and one by one, and as a file.',
    query: ['address', 'month', 'first', 'after'],
    reads: ({ query: { address, month, first, after } }, { today }): PageReads => {
      if (address === undefined) return {}
      const days = daysOfMonth(month ?? '')
      // `to` is the day after the last one.
      const chosen = days && { from: dateOf(days.fromDay), to: dateOf(days.toDay) }
      const summed =
        chosen ?? (today === null ? undefined : { from: firstMonth(today), to: dateOf(today + 1) })
      return {
        profile: profileOf(address),
        payments: {
          operation: 'list_provider_payments',
          // Who prints a month for books wants all of it.
          input: { address, ...chosen, after, first: rowsOf(first, chosen && DESK_ROWS.most) },
        },
        ...(summed && {
          revenue: { operation: 'get_provider_revenue', input: { address, ...summed, interval: 'month' } },
        }),
        // For what was due in the month and is not collected yet, which the sums of payments leave out.
        ...(chosen && {
          outlook: { operation: 'get_provider_outlook', input: { address, days: OUTLOOK_DAYS, first: 1 } },
        }),
      }
    },
    subject: 'payments',
    // As for `/desk`: the outlook.
    takesLong: true,
  }),
  definePage({
    name: 'desk',
    path: '/desk/settings',
    title: 'Settings',
    description: 'What people read of you before they pay.',
    query: ['address'],
    reads: ({ query: { address } }): PageReads =>
      address === undefined ? {} : { profile: profileOf(address) },
    subject: 'profile',
  }),
] as const

/** The provider's profile, whose name stands at the head of each section. */
function profileOf(address: string): PageReads[string] {
  return { operation: 'get_provider_profile', input: { address } }
}

/** The provider's plans: of the account's subscriptions, those that it has created. */
function plansOf(address: string): PageReads[string] {
  return {
    operation: 'get_account_subscriptions',
    input: { address, first: MOST_PLANS },
    most: { subscriptions: MOST_PLANS },
  }
}

/** How many rows a page of the desk has, as its address says; `otherwise` where it says nothing. */
function rowsOf(first: string | undefined, otherwise: number = DESK_ROWS.default): number {
  const asked = Number(first ?? otherwise)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, DESK_ROWS.most) : otherwise
}

/** The first day of the first of `MONTHS` months that end with today's. @param today a day number */
function firstMonth(today: number): string {
  const now = new Date(today * 86_400_000)
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS - 1), 1)
  return dateOf(Math.max(0, from / 86_400_000))
}
