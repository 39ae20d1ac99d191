import { definePage } from '../definePage.ts'
import { detailsOf, profilesOf, subscriptionsIn } from './lists.ts'

/** As far as three months: that is what people plan for, and a quarterly plan is due once in it. */
const DAYS_AHEAD = 92

export const me = definePage({
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
          outlook: { operation: 'get_account_outlook', input: { address, days: DAYS_AHEAD, first: 10 } },
        },
  readsNext({ account }) {
    const rows = subscriptionsIn(account, 'subscribedTo')
    return { ...profilesOf(rows), ...detailsOf(rows) }
  },
  subject: 'account',
})
