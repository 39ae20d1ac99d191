import type { Address, Hex } from 'viem'
import type { AccountStatus, Frequency } from '../../protocol/subscription.ts'
import type { IndexPosition } from '../../schema/answer.ts'

/** A block. Reads can be pinned to its hash, and the next block names it as its parent. */
export interface BlockRef {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/** How far the first read of a chain has come. */
export interface BackfillProgress {
  readonly fromBlock: number
  readonly toBlock: number
  readonly blockNumber: number
  readonly percent: number
  readonly blocksPerSecond: number
  readonly secondsLeft: number | null
}

/** The health of a chain's index, from memory. */
export interface IndexHealth {
  readonly source: 'rpc' | 'subgraph'
  readonly ok: boolean
  readonly blockNumber: number | null
  readonly lagSeconds: number | null
  readonly synced: boolean
  readonly backfill: BackfillProgress | null
  /** What is wrong, in a sentence that names no upstream; `null` where nothing is. */
  readonly alarm: string | null
}

/** Which rows of a list to read, newest first. `after` and `skip` exclude each other. */
export interface PageQuery {
  readonly first: number
  readonly skip: number
  /** The nextCursor of the page before. */
  readonly after: string | undefined
  /** Leaves out rows of later blocks. `skip` is exact with it. */
  readonly untilBlock: number | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** Where a row was logged. */
export interface LogPlace {
  readonly blockNumber: number
  readonly logIndex: number
  readonly transactionHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
  /** Whether its block can no longer be reorganised away. */
  readonly finalized: boolean
}

/** A SubLog, as it was logged. */
export interface HistoryEvent extends LogPlace {
  readonly subscriptionId: Hex
  readonly provider: Address
  readonly subscriber: Address | null
  readonly token: Address
  readonly subScriptEvent: number
  /** Protocol units (18 decimals). */
  readonly amount: bigint
}

export type ActivityRole = 'subscriber' | 'provider'

export interface ActivityEvent extends HistoryEvent {
  readonly roles: readonly ActivityRole[]
}

export interface DetailsRow extends LogPlace {
  readonly url: string
  readonly description: string
}

export interface ProfileRow extends LogPlace {
  readonly description: string
  readonly company: string
  readonly url: string
  readonly domain: string
  readonly email: string
  readonly misc: string
}

/** A subscription's terms as of the index's block. */
export interface IndexedSubscription {
  readonly id: Hex
  readonly provider: Address
  readonly token: Address
  /** Protocol units (18 decimals). */
  readonly amount: bigint
  readonly frequency: Frequency
  readonly dueDay: number
  readonly cancelled: boolean
  /** Unix seconds. */
  readonly createdAt: number
  /** Asked for with `includeDetails`; `null` where none was ever logged. */
  readonly details?: { readonly url: string; readonly description: string } | null
}

export interface SearchFilters {
  readonly provider: Address | undefined
  readonly token: Address | undefined
  readonly frequency: Frequency | undefined
  readonly cancelled: boolean
}

/** An account's status in a subscription that it has ever subscribed to. */
export interface Membership {
  readonly subscriptionId: Hex
  readonly status: AccountStatus
}

/**
 * The projection at one moment. Lists are newest first, by block and log.
 *
 * Throws CursorStaleError where a cursor's block was reorganised away, and ValidationError on `after` where it
 * is no cursor of the list.
 */
export interface HistoryQueries {
  /**
   * With `untilBlock`, a subscription that was cancelled later is found as not cancelled, but its row says that it is
   * cancelled now. Throws CursorStaleError where there are more than 5,000 of those.
   */
  search(filters: SearchFilters, page: PageQuery, includeDetails: boolean): Promise<Page<IndexedSubscription>>
  events(subscriptionId: Hex, page: PageQuery): Promise<Page<HistoryEvent>>
  /** Each event once, whatever the account's roles in it. The breakdown counts the whole history. */
  activity(
    account: Address,
    page: PageQuery,
  ): Promise<Page<ActivityEvent> & { breakdown: { asSubscriber: number; asProvider: number } }>
  /** Logs by the subscription's provider only. */
  detailsLogs(subscriptionId: Hex, page: PageQuery): Promise<Page<DetailsRow>>
  latestDetails(subscriptionId: Hex): Promise<DetailsRow | undefined>
  latestProfile(provider: Address): Promise<ProfileRow | undefined>
  /** Who subscribes now, in the order of addresses. */
  subscribers(
    subscriptionId: Hex,
    page: { first: number; skip: number; after: Address | undefined },
  ): Promise<readonly Address[]>
  /** How many subscribe now to each of these. */
  subscriberCounts(subscriptionIds: readonly Hex[]): Promise<ReadonlyMap<Hex, number>>
  /** All that the account has ever subscribed to, oldest first; at most `first` rows. */
  memberships(account: Address, first: number): Promise<readonly Membership[]>
  /** All that the account has ever created, oldest first; at most `first` rows. */
  created(account: Address, first: number): Promise<readonly Hex[]>
  /** Every token that a subscription was ever created in. */
  tokens(): Promise<readonly Address[]>
}

/** Rows of one snapshot of the projection. */
export interface Indexed<Rows> {
  readonly rows: Rows
  /** The block that the projection stood at. */
  readonly block: BlockRef
  readonly position: IndexPosition
  /** A sentence where the index is behind because its source fails; `null` otherwise. */
  readonly failure: string | null
}

/** The projections of the chains that have one. */
export interface HistoryPort {
  /** From memory; `null` where the chain keeps no index. */
  health(chainId: number): IndexHealth | null
  /**
   * Lets `query` read one consistent state of a chain's projection. `query` must wait for nothing else.
   *
   * Throws IndexUnavailableError where there is no index or it cannot be read.
   * @param options.minBlock waits up to 2 s until the projection stands there. Throws BlockNotSeenError.
   */
  snapshot<Rows>(
    chainId: number,
    options: { minBlock?: number; signal?: AbortSignal },
    query: (queries: HistoryQueries) => Promise<Rows>,
  ): Promise<Indexed<Rows>>
}
