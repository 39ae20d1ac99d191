import type { AccountStatus } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'
import { ViewFailedError } from '../../errors/chain.ts'
import type { AccountSubscription, IndexedTerms, RowRange } from '../../ports/chainReads.ts'
import type { HistoryQueries } from '../../ports/history.ts'
import { byRoute } from '../../presentation/byRoute.ts'

// Lists an account's subscriptions by the index, for accounts with more of them than the contract's view can return: the
// index gives ids and statuses, and the operations beside this file read the terms by id at the same block.

/**
 * How many active memberships of one wallet are read. They share its money, so every page needs all of them to tell how
 * long it lasts.
 */
const MOST_ACTIVE = 4_000

/** A range of what an account subscribes to, or of what it created, as the index knows it. */
export interface IndexedList {
  /** Ids of the subscriptions, in the contract's order: oldest first. */
  readonly ids: readonly Hex[]
  /** The account's status as subscriber. Empty for what it created: there the terms tell the status. */
  readonly statuses: ReadonlyMap<Hex, AccountStatus>
  /** Subscriptions without subscribers are left out. */
  readonly totalSubscribers: ReadonlyMap<Hex, number>
}

/** What the account has ever subscribed to. */
export async function queryMemberships(
  history: HistoryQueries,
  account: Address,
  range: RowRange & { readonly activeOnly?: boolean },
): Promise<IndexedList> {
  const memberships = await history.memberships(account, range)
  const ids = memberships.map(({ subscriptionId }) => subscriptionId)
  const statuses = new Map(memberships.map(({ subscriptionId, status }) => [subscriptionId, status]))
  return { ids, statuses, totalSubscribers: await history.subscriberCounts(ids) }
}

/** What the account has ever created. */
export async function queryCreated(
  history: HistoryQueries,
  account: Address,
  range: RowRange,
): Promise<IndexedList> {
  const ids = await history.created(account, range)
  return { ids, statuses: new Map(), totalSubscribers: await history.subscriberCounts(ids) }
}

/** All that the wallet is active in, and one more than may be read, by which `requireWhole` sees that there are too many. */
export function queryActive(history: HistoryQueries, account: Address): Promise<IndexedList> {
  return queryMemberships(history, account, { skip: 0, first: MOST_ACTIVE + 1, activeOnly: true })
}

/** Throws ViewFailedError where the wallet is active in too many. A list is never cut silently. */
export function requireWhole({ ids }: IndexedList): readonly Hex[] {
  if (ids.length <= MOST_ACTIVE) return ids
  throw new ViewFailedError(
    'getAccountSubscriptions',
    `The account has more than ${MOST_ACTIVE} active subscriptions: too many for the chain's node, and to tell how ` +
      `long its money lasts. get_account_subscriptions${byRoute('GET /accounts/:address/subscriptions')} lists them.`,
  )
}

/** Adds to a subscription that was read by its id what the contract's own list says beside the terms. */
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
