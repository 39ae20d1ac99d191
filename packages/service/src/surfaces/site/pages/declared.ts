// The pages for people: each with its address, and what is read for it. `definePage.ts` explains the fields.

import * as z from 'zod'
import { definePage, type PageReads, type SitePage } from './definePage.ts'
import { desk } from './deskPages.ts'
import {
  dateOf,
  detailsOf,
  membershipsOf,
  OUTLOOK_DAYS,
  profilesOf,
  startOf,
  subscriptionsIn,
} from './furtherReads.ts'
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

/** How far back a plan's payments are summed, and in which intervals, by its frequency: 0 is weekly, 3 yearly. */
const LOOK_BACK = {
  0: { days: 182, interval: 'week' },
  1: { days: 365, interval: 'month' },
  2: { days: 730, interval: 'month' },
  3: { days: 1_825, interval: 'month' },
} as const

/** One plan, and what its provider says of it. */
const planNamed = (id: string): PageReads => ({
  plan: { operation: 'get_subscription', input: { id } },
  ...detailsOf([{ id: id.toLowerCase() }]),
})

const plan = definePage({
  name: 'plan',
  path: '/plans/:id',
  title: 'A plan',
  description: 'The terms of a plan, its next due days, and every payment so far.',
  reads: ({ path: { id } }) => ({
    ...planNamed(id),
    // What subscribing takes at once follows from it.
    state: { operation: 'get_protocol_state' },
    history: { operation: 'get_subscription_history', input: { id, first: 10 } },
  }),
  readsNext({ plan }, { path: { id } }, { today }): PageReads {
    const found = FoundPlan.safeParse(plan?.body)
    if (!found.success) {
      // The site's search cannot tell a plan's id from a transaction's hash, which is as long, so it leads here for both.
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

/** The profile of the plan's provider. */
const providerOf: SitePage['readsNext'] = ({ plan }) => {
  const { provider } = Object(plan?.body?.subscription)
  return typeof provider === 'string' ? profilesOf([{ provider }]) : {}
}

const subscribe = definePage({
  name: 'subscribe',
  path: '/subscribe/:id',
  title: 'Subscribe',
  description: 'What is taken when, what you allow, and how you leave. Then you sign, in your own wallet.',
  query: ['return', 'paymaster'],
  reads: ({ path: { id } }) => ({ ...planNamed(id), state: { operation: 'get_protocol_state' } }),
  readsNext: providerOf,
  subject: 'plan',
  keepsOpener: true,
})

/** Rows of each list that the document has. The page loads the rest when asked. */
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
  payment: z.object({ blockNumber: z.int(), callerFee: z.object({ amountRaw: z.string() }) }),
  subscription: z.object({ id: z.string(), provider: z.string() }),
})

const receipt = definePage({
  name: 'receipt',
  path: '/receipts/:txHash/:logIndex',
  title: 'A receipt',
  description: 'One payment: who paid whom for which day, and where it stands on the chain.',
  reads: ({ path }) => ({ payment: { operation: 'get_payment', input: { ...path } } }),
  readsNext({ payment }, { path: { txHash } }): PageReads {
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
      // Who collected it stands in the transaction alone.
      ...(paid.callerFee.amountRaw === '0'
        ? {}
        : { transaction: { operation: 'get_transaction_status', input: { txHash } } }),
    }
  },
  subject: 'payment',
})

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
          // Many: what a payment lacks is told of those that are listed.
          outlook: { operation: 'get_account_outlook', input: { address, days: OUTLOOK_DAYS, first: 100 } },
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

/** It reads nothing here: the permission stands in the fragment of the link, which browsers never send. */
const carry = definePage({
  name: 'carry',
  path: '/carry',
  title: 'Carry a permission',
  description:
    'Carry to the network what somebody without ETH has signed: whose it is, what it changes, what it costs.',
})

/** It has the plan's name; the page itself reads what the wallet lacks. A gift that somebody has signed stands in the fragment alone. */
const topUp = definePage({
  name: 'topUp',
  path: '/top-up',
  title: 'Pay for a friend',
  description: 'Give somebody’s wallet the money that its subscriptions lack, or sign for it without ETH.',
  query: ['account', 'token', 'plan', 'day'],
  reads: ({ query: { plan } }) => (plan === undefined ? {} : planNamed(plan)),
  readsNext: providerOf,
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
