import type { HistoryQueries, PageQuery } from '../src/core/ports/history.ts'
import { FREQUENCIES } from '../src/protocol/subscription.ts'
import type { ManyLogs } from '../test/support/history/ManyLogs.ts'

export interface NamedQuery {
  readonly name: string
  readonly query: (queries: HistoryQueries, logs: ManyLogs, round: number) => Promise<unknown>
}

const page: PageQuery = { first: 25, skip: 0, after: undefined, untilBlock: undefined }
const KEYS = 40

/** Subscriptions and accounts from the whole history, others in each round. */
function share(of: number, round: number): number {
  return Math.floor((of * ((7 * round) % KEYS)) / KEYS)
}

const heavy: NamedQuery[] = [
  { name: 'history of the most crowded subscription', query: (q, logs) => q.events(logs.crowded, page) },
  { name: 'activity of the account in every one', query: (q, logs) => q.activity(logs.heavyAccount, page) },
  { name: 'activity of the largest provider', query: (q, logs) => q.activity(logs.heavyProvider, page) },
  {
    name: 'activity of the largest provider, 500 skipped',
    query: (q, logs) => q.activity(logs.heavyProvider, { ...page, skip: 500 }),
  },
  {
    name: 'the crowd’s first 500',
    query: (q, logs) => q.subscribers(logs.crowded, { first: 500, skip: 0, after: undefined }),
  },
  {
    name: 'memberships of the account in every one',
    query: (q, logs) => q.memberships(logs.heavyAccount, { first: 100, skip: 0 }),
  },
  {
    name: 'created by the largest provider',
    query: (q, logs) => q.created(logs.heavyProvider, { first: 100, skip: 0 }),
  },
  { name: 'newest profile of the largest provider', query: (q, logs) => q.latestProfile(logs.heavyProvider) },
]

const light: NamedQuery[] = [
  {
    name: 'history of a subscription',
    query: (q, logs, round) => q.events(logs.subscription(share(logs.subscriptions, round)), page),
  },
  {
    name: 'its details-history',
    query: (q, logs, round) => q.detailsLogs(logs.subscription(share(logs.subscriptions, round)), page),
  },
  {
    name: 'its newest details',
    query: (q, logs, round) => q.latestDetails(logs.subscription(share(logs.subscriptions, round))),
  },
  {
    name: 'activity of an account',
    query: (q, logs, round) => q.activity(logs.account(share(logs.subscriptions / 20, round)), page),
  },
  {
    name: 'how many subscribe, 25 times',
    query: (q, logs, round) =>
      q.subscriberCounts(
        Array.from({ length: 25 }, (_, index) => logs.subscription(share(logs.subscriptions, round + index))),
      ),
  },
  { name: 'tokens', query: (q) => q.tokens() },
]

export const listQueries: readonly NamedQuery[] = [
  ...light,
  ...heavy,
  {
    name: 'search as of an older block',
    query: (q, logs) =>
      q.search(
        { provider: undefined, token: undefined, frequency: undefined, cancelled: false },
        { ...page, untilBlock: logs.lastBlock - 500 },
        false,
      ),
  },
]

/** All 16 sets of filters, with details. */
export const searchQueries: readonly NamedQuery[] = Array.from({ length: 16 }, (_, chosen) => {
  const has = { provider: chosen & 1, token: chosen & 2, frequency: chosen & 4 }
  const cancelled = (chosen & 8) !== 0
  const names = Object.entries(has).flatMap(([name, bit]) => (bit ? [name] : []))
  return {
    name: `search: ${[...names, cancelled ? 'cancelled' : 'not cancelled'].join(', ')}`,
    query: (queries, logs, round) => {
      // Not the largest provider, which has every tenth subscription.
      const subscription = share(logs.subscriptions, round) + 3
      const filters = {
        provider: has.provider ? logs.provider(subscription) : undefined,
        token: has.token ? logs.token(subscription) : undefined,
        frequency: has.frequency ? FREQUENCIES[round % FREQUENCIES.length] : undefined,
        cancelled,
      }
      return queries.search(filters, page, true)
    },
  }
})
