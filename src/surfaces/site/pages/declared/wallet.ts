import { definePage, type PageReads } from '../definePage.ts'
import { dateOf, detailsOf, profilesOf, startOf, subscriptionsIn } from './lists.ts'

const MOST_ROWS = 10

export const wallet = definePage({
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
        : { outlook: { operation: 'get_account_outlook', input: { address, days: 92, first: 10 } } }),
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
