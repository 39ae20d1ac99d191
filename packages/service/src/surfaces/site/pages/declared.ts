import type { PageAnswer } from '@remit/site/page/pageContents'
import * as z from 'zod'
import { definePage, type PageReads, type SitePage } from './definePage.ts'

const home = definePage({
  name: 'home',
  path: '/',
  title: 'Recurring payments on chain',
  description: 'Subscribe to plans, earn from plans of your own, or build on the API. Only you sign.',
  reads: () => ({
    state: { operation: 'get_protocol_state' },
    plans: { operation: 'search_subscriptions', input: { first: 6, includeDetails: true } },
  }),
  readsNext({ plans }, _address, { today }) {
    const rows = subscriptionsIn(plans, 'subscriptions')
    return { ...profilesOf(rows), ...membersOf(rows, today) }
  },
})

const plans = definePage({
  name: 'plans',
  path: '/plans',
  title: 'Plans',
  description: 'What can be subscribed to: prices, due days and who gets the money.',
  query: ['provider', 'token', 'frequency', 'cancelled', 'after'],
  reads: ({ query }) => ({
    plans: { operation: 'search_subscriptions', input: { ...query, first: 10, includeDetails: true } },
    tokens: { operation: 'list_approved_tokens' },
  }),
  readsNext({ plans }, _address, { today }) {
    const rows = subscriptionsIn(plans, 'subscriptions')
    return { ...profilesOf(rows), ...membersOf(rows, today) }
  },
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
    details: { operation: 'get_subscription_details', input: { id } },
    history: { operation: 'get_subscription_history', input: { id, first: 10 } },
  }),
  readsNext({ plan }, { path: { id } }, { today }): PageReads {
    const found = FoundPlan.safeParse(plan?.body)
    if (!found.success) return {}
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
  query: ['return'],
  reads: ({ path: { id } }) => ({
    plan: { operation: 'get_subscription', input: { id } },
    said: { operation: 'get_subscription_details', input: { id } },
    state: { operation: 'get_protocol_state' },
  }),
  readsNext({ plan }) {
    const { subscription } = plan?.body ?? {}
    const { provider } = Object(subscription)
    if (typeof provider !== 'string') return {}
    return { profile: { operation: 'get_provider_profile', input: { address: provider } } }
  },
  subject: 'plan',
  keepsOpener: true,
})

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

const FoundPayment = z.object({ subscription: z.object({ id: z.string(), provider: z.string() }) })

const receipt = definePage({
  name: 'receipt',
  path: '/receipts/:txHash/:logIndex',
  title: 'A receipt',
  description: 'One payment: who paid whom for which day, and where it stands on the chain.',
  reads: ({ path }) => ({ payment: { operation: 'get_payment', input: { ...path } } }),
  readsNext({ payment }) {
    const found = FoundPayment.safeParse(payment?.body)
    if (!found.success) return {}
    const rows = [found.data.subscription]
    return { ...profilesOf(rows), ...detailsOf(rows) }
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
  query: ['address'],
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
  readsNext({ account }) {
    const rows = subscriptionsIn(account, 'subscribedTo')
    return { ...profilesOf(rows), ...detailsOf(rows) }
  },
  subject: 'account',
})

/** A year of months, the present one included. */
const MONTHS = 12

const desk = definePage({
  name: 'desk',
  path: '/desk',
  title: 'For providers',
  description: 'Publish a plan, see what it brings, who is at risk, and share its link.',
  query: ['address'],
  reads: ({ query: { address } }, { today }): PageReads => ({
    state: { operation: 'get_protocol_state' },
    tokens: { operation: 'list_approved_tokens' },
    ...(address === undefined ? {} : providerReads(address, today)),
  }),
  readsNext: ({ plans }) => detailsOf(subscriptionsIn(plans, 'subscriptions')),
  subject: 'plans',
})

function providerReads(address: string, today: number | null): PageReads {
  return {
    plans: { operation: 'get_account_subscriptions', input: { address }, most: { subscriptions: 10 } },
    profile: { operation: 'get_provider_profile', input: { address } },
    outlook: { operation: 'get_provider_outlook', input: { address, days: 30, first: 10 } },
    ...(today === null
      ? {}
      : {
          revenue: {
            operation: 'get_provider_revenue',
            input: { address, from: firstMonth(today), to: dateOf(today + 1), interval: 'month' },
          },
        }),
  }
}

function firstMonth(today: number): string {
  const now = new Date(today * 86_400_000)
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS - 1), 1)
  return dateOf(Math.max(0, from / 86_400_000))
}

/** Anybody may collect, and everybody is paid the same: what waits can be told without a wallet. */
const ANYBODY = '0x000000000000000000000000000000000000dEaD'
/** A monthly plan is due once in so many days. */
const KEEPER_DAYS_AHEAD = 31

const keeper = definePage({
  name: 'keeper',
  path: '/keeper',
  title: 'Keeper',
  description: 'Payments that wait to be collected, what collecting them earns, and what it costs.',
  // Ten thousand payments may wait.
  takesLong: true,
  reads: () => ({ prepared: { operation: 'prepare_remit', input: { from: ANYBODY } } }),
  readsNext: ({ prepared }, _address, { today }) =>
    prepared?.status === 200
      ? {}
      : {
          readiness: { operation: 'check_remit_readiness', input: { from: ANYBODY } },
          ...(today === null
            ? {}
            : {
                ahead: {
                  operation: 'simulate_remit',
                  input: { dayNumber: today + KEEPER_DAYS_AHEAD },
                  // The page shows the next one.
                  most: { calls: 1 },
                },
              }),
        },
})

const portal = definePage({
  name: 'portal',
  path: '/portal',
  title: 'API keys',
  description: 'Sign in with your wallet and make API keys with higher limits.',
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
  desk,
  keeper,
  portal,
]

const Row = z.object({ id: z.string(), provider: z.string() })

/** The subscriptions in an answer's list, whether its rows are them or hold them. */
function subscriptionsIn(answer: PageAnswer | undefined, field: string) {
  const rows = answer?.body[field]
  if (answer?.status !== 200 || !Array.isArray(rows)) return []
  return rows.map((row) => Row.parse(row.subscription ?? row))
}

/** The profiles of these providers, each by `profile:` and its address. */
function profilesOf(rows: readonly { readonly provider: string }[]): PageReads {
  return byKey('profile', unique(rows.map(({ provider }) => provider)), (address) => ({
    operation: 'get_provider_profile',
    input: { address },
  }))
}

/** What providers say of these subscriptions, each by `details:` and its id. */
function detailsOf(rows: readonly { readonly id: string }[]): PageReads {
  return byKey('details', unique(rows.map(({ id }) => id)), (id) => ({
    operation: 'get_subscription_details',
    input: { id },
  }))
}

/** What happened to these subscriptions today, which says how many members each has: by `today:` and its id. */
function membersOf(rows: readonly { readonly id: string }[], today: number | null): PageReads {
  if (today === null) return {}
  return byKey('today', unique(rows.map(({ id }) => id)), (id) => ({
    operation: 'get_subscription_revenue',
    input: { id, from: dateOf(today), to: dateOf(today + 1), interval: 'day' },
  }))
}

/** The first day of a day's week or month, so that the intervals of a chart are all whole but the last. */
function startOf(interval: 'week' | 'month', dayNumber: number): number {
  const day = Math.max(0, dayNumber)
  // 1970 began on a Thursday; weeks begin on Mondays.
  if (interval === 'week') return Math.max(0, day - ((day + 3) % 7))
  return day - (new Date(day * 86_400_000).getUTCDate() - 1)
}

/** The date of a day, as YYYY-MM-DD. */
function dateOf(dayNumber: number): string {
  return new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)
}

function byKey(
  name: string,
  values: readonly string[],
  read: (value: string) => PageReads[string],
): PageReads {
  return Object.fromEntries(values.map((value) => [`${name}:${value}`, read(value)]))
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
