import type { Hex } from 'viem'
import type { AccountSubscription, IndexedTerms } from '../../core/ports/chainReads.ts'
import type { HistoryQueries } from '../../core/ports/history.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { AccountStatus } from '../../protocol/subscription.ts'

/**
 * The most rows of a list that are read one by one. The contract's view is tried first; a usual node can read some
 * thousands with it. The answer has no pages, so a longer list is an error.
 */
export const MOST_ROWS = 4_000

/** What an account subscribes to, or what it created, as the index knows it. */
export interface IndexedList {
  /** In the contract's order: oldest first. One more than MOST_ROWS where there are more. */
  readonly ids: readonly Hex[]
  /** The account's status as subscriber. Empty for what it created: there the terms tell the status. */
  readonly statuses: ReadonlyMap<Hex, AccountStatus>
  /** Subscriptions without subscribers are left out. */
  readonly totalSubscribers: ReadonlyMap<Hex, number>
}

/** What the account has ever subscribed to. */
export async function queryMemberships(
  history: HistoryQueries,
  account: Parameters<HistoryQueries['memberships']>[0],
): Promise<IndexedList> {
  const memberships = await history.memberships(account, MOST_ROWS + 1)
  const ids = memberships.map(({ subscriptionId }) => subscriptionId)
  const statuses = new Map(memberships.map(({ subscriptionId, status }) => [subscriptionId, status]))
  return { ids, statuses, totalSubscribers: await history.subscriberCounts(ids) }
}

/** What the account has ever created. */
export async function queryCreated(
  history: HistoryQueries,
  account: Parameters<HistoryQueries['created']>[0],
): Promise<IndexedList> {
  const ids = await history.created(account, MOST_ROWS + 1)
  return { ids, statuses: new Map(), totalSubscribers: await history.subscriberCounts(ids) }
}

/** Throws ViewFailedError where the list is too long to be answered. A list is never cut silently. */
export function requireWhole({ ids }: IndexedList): readonly Hex[] {
  if (ids.length <= MOST_ROWS) return ids
  throw new ViewFailedError(
    'getAccountSubscriptions',
    `The account has more than ${MOST_ROWS} subscriptions: too many for the chain's node and for one answer.`,
  )
}

/** A row as the contract's own list would have it. */
export function toAccountSubscription<Terms extends IndexedTerms>(
  row: Terms,
  list: IndexedList,
): Terms & AccountSubscription {
  const { id, cancelled } = row.terms
  return {
    ...row,
    status: list.statuses.get(id) ?? (cancelled ? 'CANCELLED' : 'ACTIVE'),
    totalSubscribers: list.totalSubscribers.get(id) ?? 0,
  }
}
