import type { AccountStatus, Frequency, SubscriptionTerms } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'

// What operations read of a chain, as `view.read`, all at the view's block: `ChainReads`, at the end, and the shapes of its
// answers. `lens/reads.ts` makes it. Addresses are checksummed, days are unix time / 86400. A due list is the contract's list of the
// subscriptions of one frequency and due day. A subscription's unsubscribed list has accounts that left and are still in its subscriber set.

/** What the protocol and the token itself say about a token, at one block. */
export interface TokenFacts {
  readonly address: Address
  /** `null` where it does not read as text. */
  readonly symbol: string | null
  readonly name: string | null
  /** The decimals in the contract's entry for the token. Every conversion uses them, as the contract does. */
  readonly decimals: number
  /** The decimals that the token itself answers. Where they differ from the entry, answers warn. */
  readonly ownDecimals: number
  readonly paused: boolean
  /** Protocol units (18 decimals). */
  readonly minimum: bigint
}

/** The facts about a token that never change. */
export type LastingToken = Omit<TokenFacts, 'paused' | 'minimum'>

/** The protocol's settings. A fee is 10000 plus hundredths of a percent, as the contract stores it: 10200 is 2 %. */
export interface ProtocolSettings {
  readonly callerFee: bigint
  readonly systemFee: bigint
  /** How many subscribers one remit() charges at most. */
  readonly maxRemits: number
  /** How many accounts one clean-up processes at most. */
  readonly cancelLimit: number
  /** The first day that remit has not finished. */
  readonly nextUncheckedDay: number
}

/** A subscription, with what its next due day depends on. */
export interface SubscriptionState {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
  readonly nextUncheckedDay: number
}

/** A subscription that the index named, read from the chain. */
export interface IndexedTerms {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
}

/** One row of an account's lists. */
export interface AccountSubscription {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
  readonly status: AccountStatus
  readonly totalSubscribers: number
}

/** One row of what an account subscribes to. */
export interface AccountMembership extends AccountSubscription {
  /** Protocol units (18 decimals). */
  readonly feeBalance: bigint
}

/** What a wallet holds of one token and lets the protocol take, in the token's smallest unit. */
export interface WalletToken {
  readonly token: Address
  readonly balance: bigint
  readonly allowance: bigint
}

/** What remit's charges of one account depend on, beside its subscriptions. */
interface AccountCharges {
  readonly nextUncheckedDay: number
  readonly callerFee: bigint
  /**
   * Ids of live memberships that share token, frequency and due day with another, in the order of their due
   * list; remit walks it from the end. Those of a list that cannot be read are left out.
   */
  readonly dueOrder: readonly Hex[]
}

/** What an account subscribes to and has created, and what it pays from. */
export interface AccountState extends AccountCharges {
  /** All its memberships, whatever page was asked for: they are paid out of the same money. */
  readonly subscribedTo: readonly AccountMembership[]
  /** The subscriptions that it created, as far as they are on the page that was asked for. */
  readonly created: readonly AccountSubscription[]
  readonly createdCount: number
  /** One row for each token that the account subscribes in. */
  readonly wallet: readonly WalletToken[]
}

/** Rows of a list that only ever grows, oldest first. */
export interface RowRange {
  readonly skip: number
  readonly first: number
}

export interface Subscriber {
  readonly subscriber: Address
  /** Protocol units (18 decimals). */
  readonly feeBalance: bigint
}

/** The due list of one frequency on one day, with only the subscriptions that a remit of that day would charge. */
export interface DueList {
  readonly frequency: Frequency
  readonly dueDay: number
  readonly subscriptionIds: readonly Hex[]
}

/** The state of one account in one subscription, and all that its change depends on. */
export interface MembershipState extends SubscriptionState {
  readonly settings: ProtocolSettings
  /** The account's status in its own list of subscriptions; ACTIVE also for one that never subscribed. */
  readonly status: AccountStatus
  /** Whether the account is in the subscription's set of subscribers and not on its unsubscribed list. */
  readonly isSubscribed: boolean
  /**
   * Whether a remit broke off in the middle of this subscription: nobody can subscribe until the next remit. While the
   * token is paused this cannot be known and is false; subscribing is not possible then anyway.
   */
  readonly isPaging: boolean
  /** What the contract holds of the account for remit's callers, in protocol units; 0 where it never subscribed. */
  readonly feeBalance: bigint
  /** What the account holds of the subscription's token. */
  readonly wallet: WalletToken
  /** The signer's balance, in wei. */
  readonly nativeBalance: bigint
  /** All subscriptions of the account, in any token. */
  readonly memberships: readonly AccountMembership[]
  /** As `dueOrder` of AccountCharges, as if this subscription were one of the memberships. */
  readonly dueOrder: readonly Hex[]
}

/** What a change of a subscription by its provider depends on. */
export interface ProviderState extends SubscriptionState {
  /** The signer's balance, in wei. */
  readonly nativeBalance: bigint
}

/** The allowance and balance of a wallet in one token, and the subscriptions that are paid from it. */
export interface WalletState {
  /** The signer's balance, in wei. */
  readonly nativeBalance: bigint
  /** `undefined` where the protocol has not approved the token. */
  readonly approved: { readonly token: TokenFacts; readonly wallet: WalletToken } | undefined
  /** All subscriptions of the wallet, in any token. Empty where the protocol has not approved the token. */
  readonly memberships: readonly AccountMembership[]
  /** As `dueOrder` of AccountCharges. */
  readonly dueOrder: readonly Hex[]
}

/** What creating a subscription depends on. */
export interface CreateState {
  /** `undefined` where the protocol has not approved it. */
  readonly token: TokenFacts | undefined
  readonly settings: ProtocolSettings
  /** The signer's balance, in wei. */
  readonly nativeBalance: bigint
}

/** One subscription of a due list. Its subscribers are in the order in which the contract stores them. */
export interface BacklogEntry {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
  /** The subscribers that the contract's view lists: those on the unsubscribed list are left out. */
  readonly subscribers: readonly Subscriber[]
  /** How many accounts are on the unsubscribed list. */
  readonly unsubscribedCount: number
  /** Size of the subscriber set, accounts on the unsubscribed list included. */
  readonly setSize: number
  /**
   * How many subscribers remit will charge although the contract's view panics at this block and names none:
   * `subscribers` is empty then. Otherwise 0.
   */
  readonly hiddenSubscribers: number
}

/**
 * Everything that remit() would walk from the next unchecked day up to today.
 *
 * Due lists belong to a frequency and a due day, not to a date, so each is read once however many days of
 * the backlog it serves: at most 490 lists, however long the backlog is.
 */
export interface BacklogState {
  /** False where more is due than can be read. Then there are no lists and no wallets, and only a simulation tells. */
  readonly isRead: boolean
  readonly settings: ProtocolSettings
  /** The protocol's admin; the zero address where there is none. */
  readonly admin: Address
  /** The caller's balance, in wei. */
  readonly nativeBalance: bigint
  /** Each list in the contract's order; remit walks it from its end. Lists without entries are left out. */
  readonly lists: readonly {
    readonly frequency: Frequency
    readonly dueDay: number
    readonly entries: readonly BacklogEntry[]
  }[]
  /** One row for each subscriber and token of the entries. */
  readonly wallets: readonly (WalletToken & { readonly account: Address })[]
}

/** A backlog has more entries and subscribers than `mostRows` of its view (`ChainView.onDay`). */
export class BacklogTooLongError extends Error {
  override readonly name = 'BacklogTooLongError'
}

/** One membership, as the index names it. */
export interface PayerQuery {
  readonly id: Hex
  readonly account: Address
  readonly token: Address
}

/** What memberships have to pay with, as remit would find it. */
export interface PayersState {
  readonly settings: ProtocolSettings
  /** One row for each membership that was asked for, in that order; `undefined` if its token cannot be read. */
  readonly rows: readonly (
    | {
        /** Protocol units (18 decimals). */
        readonly feeBalance: bigint
        /** Raw units, like the allowance. */
        readonly balance: bigint
        readonly allowance: bigint
      }
    | undefined
  )[]
  /** How many requests to the node it took. */
  readonly requests: number
}

/**
 * Reads of one chain, all at the one block that `asOf` of the view names.
 *
 * Every method costs one request to a node, or none where the answer for that block is cached. A failed read throws
 * ViewFailedError, UpstreamError or UpstreamTimeoutError. It is never answered as empty or zero.
 */
export interface ChainReads {
  protocol(): Promise<ProtocolSettings>
  /** Throws SubscriptionNotFoundError. */
  subscription(id: Hex): Promise<SubscriptionState>
  /** Throws SubscriptionNotFoundError; ViewFailedError while the contract's own view panics. */
  subscribers(id: Hex): Promise<{ token: TokenFacts; subscribers: readonly Subscriber[] }>
  /** Throws SubscriptionNotFoundError. */
  feeBalance(id: Hex, subscriber: Address): Promise<{ token: TokenFacts; feeBalance: bigint }>
  /** These due lists, in the same order. */
  due(lists: readonly { frequency: Frequency; dueDay: number }[]): Promise<readonly DueList[]>
  /** @param created which of those that it created; default: all */
  account(account: Address, created?: RowRange): Promise<AccountState>
  /**
   * The rows of the range, and how many there are in all.
   * @param bySubscriber true: what the account subscribes to; false: what it created
   * @param range default: all
   */
  accountSubscriptions(
    account: Address,
    bySubscriber: boolean,
    range?: RowRange,
  ): Promise<{ nextUncheckedDay: number; count: number; rows: readonly AccountSubscription[] }>
  /** Subscriptions by their ids, in the same order. */
  subscriptionsById(ids: readonly Hex[]): Promise<{ nextUncheckedDay: number; rows: readonly IndexedTerms[] }>
  /** The same with the account's fee balance in each, and its holdings of their tokens. */
  membershipsById(
    account: Address,
    ids: readonly Hex[],
  ): Promise<{
    nextUncheckedDay: number
    callerFee: bigint
    rows: readonly (IndexedTerms & { readonly feeBalance: bigint })[]
    wallet: readonly WalletToken[]
  }>
  /** The fee balances of these accounts, in the same order. Throws SubscriptionNotFoundError. */
  feeBalances(
    id: Hex,
    accounts: readonly Address[],
  ): Promise<{ token: TokenFacts; subscribers: readonly Subscriber[] }>
  /** The approved tokens among the registry's candidates and these. */
  tokens(candidates?: readonly Address[]): Promise<readonly TokenFacts[]>
  /**
   * The approved ones of these tokens, by the addresses as given. A token that was read once, at any block, costs no
   * request.
   */
  lastingTokens(addresses: readonly Address[]): Promise<ReadonlyMap<Address, LastingToken>>
  /** Throws TokenNotApprovedError. */
  token(address: Address): Promise<TokenFacts>
  /** Throws SubscriptionNotFoundError. */
  membershipState(id: Hex, account: Address, signer: Address): Promise<MembershipState>
  /** Throws SubscriptionNotFoundError. */
  providerState(id: Hex, signer: Address): Promise<ProviderState>
  /** @param provider who creates, and signs */
  createState(token: Address, provider: Address): Promise<CreateState>
  /** @param wallet whose holdings and memberships are read; `nativeBalance` is its own */
  walletState(token: Address, wallet: Address): Promise<WalletState>
  /**
   * Asks code that is lent to the node for one question, such as a lens. The answer begins with the stamp that every lens
   * gives: number, time and parent of its block.
   * @param code as it would be deployed
   */
  lend(code: Hex, question: Hex): Promise<Hex>
  /** What these memberships have to pay with. */
  payers(rows: readonly PayerQuery[]): Promise<PayersState>
  signer(signer: Address): Promise<{ readonly nativeBalance: bigint }>
  /** All that is due up to the view's day, and the caller's native balance. Throws BacklogTooLongError beyond `mostRows` of `onDay`. */
  backlog(caller: Address): Promise<BacklogState>
}
