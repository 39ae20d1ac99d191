import { definePage } from '../definePage.ts'
import { membersOf, profilesOf, subscriptionsIn } from './lists.ts'

export const home = definePage({
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
