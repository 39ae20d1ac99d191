import { definePage, type PageReads } from '../definePage.ts'
import { dateOf, detailsOf, subscriptionsIn } from './lists.ts'

/** A year of months, the present one included. */
const MONTHS = 12

export const desk = definePage({
  name: 'desk',
  path: '/desk',
  title: 'For providers',
  description: 'Publish a plan, see what it brings, who is at risk, and share its link.',
  query: ['address'],
  reads: ({ query: { address } }, { today }): PageReads => ({
    state: { operation: 'get_protocol_state' },
    tokens: { operation: 'list_approved_tokens' },
    ...(address === undefined ? {} : readsOf(address, today)),
  }),
  readsNext: ({ plans }) => detailsOf(subscriptionsIn(plans, 'subscriptions')),
  subject: 'plans',
})

function readsOf(address: string, today: number | null): PageReads {
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
