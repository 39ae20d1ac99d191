import { ACCESS } from '@remit/engine/declare/access'
import { daysOfMonth } from '@remit/protocol/calendar'
import * as z from 'zod'
import { definePage, type PageReads, type SitePage } from './definePage.ts'
import { dateOf, detailsOf, membershipsOf, profilesOf, startOf, subscriptionsIn } from './furtherReads.ts'
import { keeper } from './keeperPage.ts'

const home = definePage({
  name: 'home',
  path: '/',
  title: 'Recurring payments on chain',
  description: 'Subscribe to plans, earn from plans of your own, or build on the API. Only you sign.',
  reads: () => ({
    state: { operation: 'get_protocol_state' },
    plans: { operation: 'search_subscriptions', input: { first: 6, includeDetails: true } },
  }),
})

const plans = definePage({
  name: 'plans',
  path: '/plans',
  title: 'Plans',
  description: 'What can be subscribed to: prices, due days and who gets the money.',
  query: ['q', 'minAmount', 'maxAmount', 'provider', 'token', 'frequency', 'cancelled', 'sort', 'after'],
  reads: ({ query }) => ({
    plans: { operation: 'search_subscriptions', input: { ...query, first: 10, includeDetails: true } },
    tokens: { operation: 'list_approved_tokens' },
  }),
  subject: 'plans',
})

const FoundPlan = z.object({
  subscription: z.object({
    provider: z.string(),
    frequency: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  }),
})

/** How far back its payments are shown, and by what: a year and a half of months says little of a weekly plan. */
const LOOK_BACK = {
  0: { days: 182, interval: 'week' },
  1: { days: 365, interval: 'month' },
  2: { days: 730, interval: 'month' },
  3: { days: 1_825, interval: 'month' },
} as const

const plan = definePage({
  name: 'plan',
  path: '/plans/:id',
  title: 'A plan',
  description: 'The terms of a plan, its next due days, and every payment so far.',
  reads: ({ path: { id } }) => ({
    plan: { operation: 'get_subscription', input: { id } },
    ...detailsOf([{ id: id.toLowerCase() }]),
    history: { operation: 'get_subscription_history', input: { id, first: 10 } },
  }),
  readsNext({ plan }, { path: { id } }, { today }): PageReads {
    const found = FoundPlan.safeParse(plan?.body)
    if (!found.success) {
      // A transaction's hash has as many digits: the search cannot tell them apart.
      return plan?.status === 404
        ? { transaction: { operation: 'get_transaction_status', input: { txHash: id } } }
        : {}
    }
    const { subscription } = found.data
    const profile = profilesOf([subscription])
    if (today === null) return profile
    const { days, interval } = LOOK_BACK[subscription.frequency]
    const input = { id, from: dateOf(startOf(interval, today - days)), to: dateOf(today + 1), interval }
    return { ...profile, revenue: { operation: 'get_subscription_revenue', input } }
  },
  subject: 'plan',
})

const subscribe = definePage({
  name: 'subscribe',
  path: '/subscribe/:id',
  title: 'Subscribe',
  description: 'What is taken when, what you allow, and how you leave. Then you sign, in your own wallet.',
  query: ['return', 'paymaster'],
  reads: ({ path: { id } }) => ({
    plan: { operation: 'get_subscription', input: { id } },
    state: { operation: 'get_protocol_state' },
    ...detailsOf([{ id: id.toLowerCase() }]),
  }),
  readsNext({ plan }) {
    const { subscription } = plan?.body ?? {}
    const { provider } = Object(subscription)
    return typeof provider === 'string' ? profilesOf([{ provider }]) : {}
  },
  subject: 'plan',
  keepsOpener: true,
})

/** What the first sight shows. The page loads the rest when asked. */
const MOST_ROWS = 10

const wallet = definePage({
  name: 'wallet',
  path: '/wallets/:address',
  title: 'A wallet',
  description:
    'What a wallet pays and how long that lasts; its plans, what they bring in, and who is at risk.',
  reads: ({ path: { address } }) => ({
    account: {
      operation: 'get_account',
      input: { address },
      most: { subscribedTo: MOST_ROWS, created: MOST_ROWS },
    },
    profile: { operation: 'get_provider_profile', input: { address } },
  }),
  readsNext({ account }, { path: { address } }, { today }): PageReads {
    const pays = subscriptionsIn(account, 'subscribedTo')
    const offers = subscriptionsIn(account, 'created')
    return {
      ...profilesOf(pays),
      ...detailsOf([...pays, ...offers]),
      ...(pays.length === 0
        ? {}
        : {
            outlook: { operation: 'get_account_outlook', input: { address, days: OUTLOOK_DAYS, first: 10 } },
          }),
      ...(offers.length === 0 ? {} : incomeOf(address, today)),
    }
  },
  subject: 'account',
})

function incomeOf(address: string, today: number | null): PageReads {
  const income = { operation: 'get_provider_outlook', input: { address, days: 30, first: 10 } }
  if (today === null) return { income }
  const input = { address, from: dateOf(startOf('month', today - 365)), to: dateOf(today + 1) }
  return { income, revenue: { operation: 'get_provider_revenue', input } }
}

const FoundPayment = z.object({
  payment: z.object({ blockNumber: z.int() }),
  subscription: z.object({ id: z.string(), provider: z.string() }),
})

const receipt = definePage({
  name: 'receipt',
  path: '/receipts/:txHash/:logIndex',
  title: 'A receipt',
  description: 'One payment: who paid whom for which day, and where it stands on the chain.',
  reads: ({ path }) => ({ payment: { operation: 'get_payment', input: { ...path } } }),
  readsNext({ payment }) {
    const found = FoundPayment.safeParse(payment?.body)
    if (!found.success) return {}
    const { payment: paid, subscription } = found.data
    const rows = [subscription]
    // What the plan was called when it was paid for: a receipt does not change with its plan.
    const then = { id: subscription.id, first: 1, untilBlock: paid.blockNumber }
    return {
      ...profilesOf(rows),
      ...detailsOf(rows),
      detailsThen: { operation: 'get_subscription_details_history', input: then },
    }
  },
  subject: 'payment',
})

/** As far as three months: that is what people plan for, and a quarterly plan is due once in it. */
const OUTLOOK_DAYS = 92

const me = definePage({
  name: 'me',
  path: '/me',
  title: 'My subscriptions',
  description:
    'What your wallet pays, when, and until when it is covered. Extend it, leave, or take it back.',
  query: ['address', 'month'],
  reads: ({ query: { address } }) =>
    address === undefined
      ? {}
      : {
          account: {
            operation: 'get_account',
            input: { address },
            most: { subscribedTo: 10, created: 0 },
          },
          outlook: { operation: 'get_account_outlook', input: { address, days: OUTLOOK_DAYS, first: 10 } },
        },
  readsNext({ account }, { query: { address } }) {
    const rows = subscriptionsIn(account, 'subscribedTo')
    return {
      ...profilesOf(rows),
      ...detailsOf(rows),
      ...(address === undefined ? {} : membershipsOf(address, rows)),
    }
  },
  subject: 'account',
})

/** A year of months, the present one included. */
const MONTHS = 12
/** Plans that are named in a list of a provider's plans, or in a choice of them. */
const MOST_PLANS = 50
/** Rows of the desk's tables. */
const DESK_ROWS = { default: 25, most: 100 }

/** The sections of a provider's desk, each with its own address and reads. One component shows all of them. */
const desk = [
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
            members: { operation: 'list_provider_members', input: { address, first: 6 } },
            lately: { operation: 'list_provider_payments', input: { address, first: rowsOf(undefined) } },
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
    subject: 'plans',
    // The forecast of remit, with many members.
    takesLong: true,
  }),
  definePage({
    name: 'desk',
    path: '/desk/members',
    title: 'Members',
    description: 'Who subscribes to your plans, until when they have paid, and who will not pay.',
    query: ['address', 'subscriptionId', 'subscriber', 'sort', 'order', 'first', 'after'],
    reads: ({ query: { address, first, ...query } }): PageReads =>
      address === undefined
        ? {}
        : {
            profile: profileOf(address),
            plans: plansOf(address),
            members: {
              operation: 'list_provider_members',
              input: { address, ...query, first: rowsOf(first) },
            },
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
            // The index knows when each was published.
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
      const chosen = days && { from: dateOf(days.fromDay), to: dateOf(days.toDay) }
      const summed =
        chosen ?? (today === null ? undefined : { from: firstMonth(today), to: dateOf(today + 1) })
      return {
        profile: profileOf(address),
        payments: {
          operation: 'list_provider_payments',
          input: { address, ...chosen, after, first: rowsOf(first) },
        },
        ...(summed && {
          revenue: { operation: 'get_provider_revenue', input: { address, ...summed, interval: 'month' } },
        }),
        // What was due in a month and is not collected is in none of its sums.
        ...(chosen && {
          outlook: { operation: 'get_provider_outlook', input: { address, days: OUTLOOK_DAYS, first: 1 } },
        }),
      }
    },
    subject: 'payments',
    // The forecast of remit, with many members.
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

/** Its name stands at the head of each section. */
function profileOf(address: string): PageReads[string] {
  return { operation: 'get_provider_profile', input: { address } }
}

function plansOf(address: string): PageReads[string] {
  return {
    operation: 'get_account_subscriptions',
    input: { address, first: MOST_PLANS },
    most: { subscriptions: MOST_PLANS },
  }
}

/** How many rows a page of the desk has, as its address says. */
function rowsOf(first: string | undefined): number {
  const asked = Number(first ?? DESK_ROWS.default)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, DESK_ROWS.most) : DESK_ROWS.default
}

function firstMonth(today: number): string {
  const now = new Date(today * 86_400_000)
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS - 1), 1)
  return dateOf(Math.max(0, from / 86_400_000))
}

/** Whose permission it is stands in the fragment of the link alone, which is never sent here. */
const carry = definePage({
  name: 'carry',
  path: '/carry',
  title: 'Carry a permission',
  description:
    'Carry to the network what somebody without ETH has signed: whose it is, what it changes, what it costs.',
})

/** Who gets how much of what is read by the page itself. A gift that somebody has signed stands in the fragment alone. */
const topUp = definePage({
  name: 'topUp',
  path: '/top-up',
  title: 'Pay for a friend',
  description: 'Give somebody’s wallet the money that its subscriptions lack, or sign for it without ETH.',
  query: ['account', 'token'],
})

const portal = definePage({
  name: 'portal',
  path: '/portal',
  title: 'API keys and webhooks',
  description: 'Sign in with your wallet, make API keys with higher limits, and have a server of yours told.',
})

const status = definePage({
  name: 'status',
  path: '/status',
  title: 'Status',
  description:
    'Whether the service is well: its chains, its index, its deliveries, and what went wrong lately.',
  reads: () => ({ status: { operation: 'get_status' } }),
  isHealth: true,
})

/** All pages. Each has its component in `packages/site/src/pages/<name>/page.tsx`. */
export const sitePages: readonly SitePage[] = [
  home,
  plans,
  plan,
  subscribe,
  wallet,
  receipt,
  me,
  ...desk,
  keeper,
  carry,
  topUp,
  portal,
  status,
]
