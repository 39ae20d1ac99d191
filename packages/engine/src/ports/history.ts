import type { DropReason, PaymentKind } from '@remit/protocol/payments/Payment'
import type { Before, DayFigures } from '@remit/protocol/payments/revenue'
import type { AccountStatus, Frequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'
import type { IndexPosition } from '../schema/envelope.ts'
import type { IndexHealth } from '../schema/health.ts'
import type { EventPage, EventQuery, LogState } from './events.ts'
import type { ProviderCheck } from './providerChecks.ts'
import type { DueMembers, VerdictQueries } from './verdicts.ts'

// What the index of a chain can be asked: `HistoryQueries`, one state of its rows, got from `HistoryPort.snapshot`, and the
// shapes of its answers. The index is a projection of the contract's logs into tables; the service's store holds them
// (`service/history/`). A cursor (`nextCursor`) names the place in a list after which the next page begins. Days are unix time / 86400.

/** A block. Reads of the chain can be made at its hash, and the next block names that hash as its parent. */
export interface BlockRef {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/** Which rows of a list to read, newest first. `after` and `skip` exclude each other. */
export interface PageQuery {
  readonly first: number
  readonly skip: number
  /** The nextCursor of the page before. */
  readonly after: string | undefined
  /** Leaves out rows of later blocks. Without it, rows that come between two pages shift what `skip` skips. */
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

/** One of the contract's events about a subscription (a log of the type SubLog), as it was logged. */
export interface HistoryEvent extends LogPlace {
  readonly subscriptionId: Hex
  readonly provider: Address
  readonly subscriber: Address | null
  readonly token: Address
  /** The contract's number of the kind of event. */
  readonly subScriptEvent: number
  /** Protocol units (18 decimals). */
  readonly amount: bigint
}

export type ActivityRole = 'subscriber' | 'provider'

/** An Approval log of a token with the contract as spender. */
export interface ApprovalEvent extends LogPlace {
  readonly owner: Address
  readonly token: Address
  /** The allowance that stands then, in the token's smallest unit. */
  readonly allowanceRaw: bigint
}

export type ActivityEvent = (HistoryEvent | ApprovalEvent) & { readonly roles: readonly ActivityRole[] }

/** A url and description that a provider published. */
export interface DetailsRow extends LogPlace {
  /** The subscription's. */
  readonly provider: Address
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
  /** Asked for with `withTexts`. */
  readonly texts?: SubscriptionTexts
}

/** What is told of a subscription beside its terms. */
export interface SubscriptionTexts {
  /** `null` where none was ever logged. */
  readonly details: { readonly url: string; readonly description: string } | null
  /** What its provider calls itself; `null` where it has not said. */
  readonly company: string | null
  /** How many subscribe now. */
  readonly subscribers: number
}

export interface SearchFilters {
  readonly provider: Address | undefined
  readonly token: Address | undefined
  readonly frequency: Frequency | undefined
  readonly cancelled: boolean
}

export const SEARCH_SORTS = [
  'newest',
  'relevance',
  'lowest_amount',
  'highest_amount',
  'most_subscribers',
] as const

export type SearchSort = (typeof SEARCH_SORTS)[number]

/** Amounts between two bounds, both included, in protocol units (18 decimals). */
export interface AmountRange {
  /** All of them have the same decimals. */
  readonly tokens: readonly Address[]
  readonly least: bigint
  /** `null` without such a bound. */
  readonly most: bigint | null
}

export interface SearchQuery extends SearchFilters {
  /** Words of descriptions and of providers' names, or beginnings of words. All have to be found. */
  readonly text?: string | undefined
  /** One range for the tokens of each number of decimals. An amount must be in the range of its token. */
  readonly amounts?: readonly AmountRange[] | undefined
  /** Default: by relevance with a text, newest first without. */
  readonly sort?: SearchSort | undefined
}

/** An account's status in a subscription that it has ever subscribed to. */
export interface Membership {
  readonly subscriptionId: Hex
  readonly status: AccountStatus
}

/** One payment, refund or other movement of a subscription, in the token's smallest unit; or a cancellation, which moves nothing. */
export interface IndexedPayment extends LogPlace {
  readonly kind: PaymentKind
  readonly subscriptionId: Hex
  readonly provider: Address
  /** `null` for a cancellation. */
  readonly subscriber: Address | null
  readonly token: Address
  /** The due day that remit charged; for everything else the day on which it happened. */
  readonly dayNumber: number
  /** The last log that belongs to it. `logIndex` is the first one. */
  readonly lastLogIndex: number
  readonly toProvider: bigint
  readonly toFeeBalance: bigint
  readonly toSubscriber: bigint
  readonly callerFee: bigint
  readonly systemShare: bigint
  readonly dropReason: DropReason | null
}

/** What happened between an account and a subscription since it subscribed last. */
export interface MemberRecord {
  readonly joined: IndexedPayment
  readonly lastPayment: IndexedPayment
  /** The newest due day that remit charged. */
  readonly lastPaidDay: number | null
  /**
   * The day in the middle of which remit has stopped, and the account's subscriptions that remit has charged for that day
   * already; `null` where remit has finished the newest day that it began.
   */
  readonly brokenDay: { readonly dayNumber: number; readonly charged: readonly Hex[] } | null
  /** What ended the membership: the first of leaving, removal, drop and the provider's cancellation. */
  readonly ended: IndexedPayment | null
  /** The first day that remit had not finished when the membership ended, by remit's own logs; 0 where it has not ended. */
  readonly uncheckedAtEnd: number
}

/** What a subscription's payments of one UTC day add up to, in the token's smallest unit. */
export type RevenueDay = DayFigures

/** Whether a token's Transfer logs state what it moves, as far as anybody has looked. */
export interface TokenLogs {
  readonly token: Address
  /** True once a Transfer log has stated another amount than the contract asked for. */
  readonly loggedOther: boolean
  /**
   * Whether a trial of one transfer changed balances by something else than it logged, and at which block: the newest one
   * that agreed, or the first that did not. `null` before the first.
   */
  readonly check: { readonly differs: boolean; readonly blockNumber: number } | null
}

/** What revenue is calculated from. */
export interface RevenueRows {
  readonly days: readonly RevenueDay[]
  /** Members and fee balances of each subscription at the start of the first day; those that have neither are left out. */
  readonly before: ReadonlyMap<Hex, Before>
  /** The terms of all subscriptions above. */
  readonly terms: ReadonlyMap<Hex, IndexedSubscription>
  /** What is known of the Transfer logs of every token of these subscriptions. */
  readonly tokenLogs: readonly TokenLogs[]
}

/**
 * The projection at one moment. Lists are newest first, by block and log.
 *
 * Throws CursorStaleError where a cursor's block was reorganised away, and ValidationError on `after` where it
 * is no cursor of the list.
 */
export interface HistoryQueries extends VerdictQueries {
  /** The log of events, oldest first. */
  loggedEvents(query: EventQuery): Promise<EventPage>
  logState(): Promise<LogState>
  /**
   * With `untilBlock`, a subscription that was cancelled later is found as not cancelled, but its row says that it is
   * cancelled now. Throws CursorStaleError where there are more than 5,000 of those. Texts are searched as they are now.
   * @returns `isCut` if more match the text than are looked at: then these are the newest
   */
  search(
    query: SearchQuery,
    page: PageQuery,
    withTexts: boolean,
  ): Promise<Page<IndexedSubscription> & { readonly isCut: boolean }>
  events(subscriptionId: Hex, page: PageQuery): Promise<Page<HistoryEvent>>
  /** Each event once, whatever the account's roles in it, with the approvals that it gave. The breakdown counts all. */
  activity(
    account: Address,
    page: PageQuery,
  ): Promise<Page<ActivityEvent> & { breakdown: { asSubscriber: number; asProvider: number } }>
  /** Logs by the subscription's provider only. */
  detailsLogs(subscriptionId: Hex, page: PageQuery): Promise<Page<DetailsRow>>
  latestDetails(subscriptionId: Hex): Promise<DetailsRow | undefined>
  /** What the providers of these say of them now; those of which nothing is said are left out. */
  descriptions(subscriptionIds: readonly Hex[]): Promise<ReadonlyMap<Hex, string>>
  /** What these providers call themselves now; those that say nothing are left out. */
  companies(providers: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  latestProfile(provider: Address): Promise<ProfileRow | undefined>
  /** What looking up a provider's domain and chain name has found, by checksummed address; providers never looked up are left out. */
  providerChecks(providers: readonly Address[]): Promise<ReadonlyMap<Address, ProviderCheck>>
  /** Who subscribes now, in the order of addresses. */
  subscribers(
    subscriptionId: Hex,
    page: { first: number; skip: number; after: Address | undefined },
  ): Promise<readonly Address[]>
  /** The subscriptions of these due lists that are not cancelled and have subscribers now, oldest first; at most `first`. */
  due(
    lists: readonly { readonly frequency: Frequency; readonly dueDay: number }[],
    first: number,
  ): Promise<readonly { frequency: Frequency; dueDay: number; id: Hex; token: Address }[]>
  /** The due lists with members, and how many. */
  dueMembers(): Promise<readonly DueMembers[]>
  /** How many subscribe now to each of these. */
  subscriberCounts(subscriptionIds: readonly Hex[]): Promise<ReadonlyMap<Hex, number>>
  /** What the account has ever subscribed to, oldest first, or of that only where it is active. */
  memberships(
    account: Address,
    page: { first: number; skip: number; activeOnly?: boolean },
  ): Promise<readonly Membership[]>
  /** What these accounts subscribe to now of these providers' subscriptions that are not cancelled. */
  subscribedTo(
    providers: readonly Address[],
    accounts: readonly Address[],
  ): Promise<
    readonly {
      readonly account: Address
      readonly provider: Address
      readonly subscriptionId: Hex
      readonly token: Address
    }[]
  >
  /** What the account has ever created, oldest first. */
  created(account: Address, page: { first: number; skip: number }): Promise<readonly Hex[]>
  /** How many subscriptions the account has ever subscribed to and created. */
  accountCounts(account: Address): Promise<{ readonly subscribedTo: number; readonly created: number }>
  /** What is known of the Transfer logs of these tokens, in their order. */
  tokenLogs(tokens: readonly Address[]): Promise<readonly TokenLogs[]>
  /** Every token that a subscription was ever created in. */
  tokens(): Promise<readonly Address[]>
  /**
   * What a provider's subscriptions moved, each row with the cursor that goes on after it.
   * @param of.days on which it was moved, from `fromDay` up to, and without, `toDay`; `undefined`: all
   * @param of.endedOnly only what ended somebody's membership
   */
  payments(
    provider: Address,
    page: PageQuery,
    of?: {
      readonly days?: { readonly fromDay: number; readonly toDay: number } | undefined
      readonly endedOnly?: boolean | undefined
    },
  ): Promise<Page<IndexedPayment & { readonly cursor: string }>>
  /** The payment that a log of a transaction belongs to. */
  payment(transactionHash: Hex, logIndex: number): Promise<IndexedPayment | undefined>
  /** `undefined` where the account never subscribed. */
  member(subscriptionId: Hex, account: Address): Promise<MemberRecord | undefined>
  /**
   * Throws ValidationError on `from` where more than 100,000 days of subscriptions would have to be read.
   * @param range days from `fromDay` up to, and without, `toDay`
   */
  revenue(
    of: { readonly provider: Address } | { readonly subscriptionId: Hex },
    range: { readonly fromDay: number; readonly toDay: number; readonly token: Address | undefined },
  ): Promise<RevenueRows>
}

/** Where an index (a projection of the chain) stood at one moment. While all of this is the same, its rows are too. */
export interface IndexedAt {
  readonly block: BlockRef
  /** The last block that cannot be reorganised away any more. */
  readonly finalizedBlock: number
  readonly position: IndexPosition
  /** Up to this block all approvals are known, and of later ones some may be missing; `null` where all are known. */
  readonly approvalsReadTo: number | null
  /** A counter that each look-up of a provider's domain and name raises. */
  readonly providersChecked: number
  /** A sentence where the index is behind because its source fails; `null` otherwise. */
  readonly failure: string | null
}

/** Rows of one snapshot of the projection. */
export interface Indexed<Rows> extends IndexedAt {
  readonly rows: Rows
}

/** The projections of the chains that have one. */
export interface HistoryPort {
  /** The health of a chain's index, from memory; `null` where the chain keeps no index. */
  health(chainId: number): IndexHealth | null
  /**
   * Where a chain's projection stands, by its store. Throws and waits as `snapshot` does. Callers within a few milliseconds
   * share one answer, unless they ask for a block or a fresh one.
   */
  indexedAt(
    chainId: number,
    options: { minBlock?: number; isFresh?: boolean; signal?: AbortSignal },
  ): Promise<IndexedAt>
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
