import { definePage } from '../definePage.ts'
import { membersOf, profilesOf, subscriptionsIn } from './lists.ts'

export const plans = definePage({
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
