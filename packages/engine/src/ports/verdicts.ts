import type { Frequency, SubscriptionTerms } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'

// A verdict says which of a membership's charges to come pay and which fail, as the state of one block decides. The index keeps
// one for each active membership. The sweep, its pass in the background, reads each anew now and then: allowance, balance and fee
// balance, and a trial of the next transfer. Outlooks and lists of members are made of verdicts. A payer is a wallet with one token.

/** A charge that makes remit revert, because the token refuses the transfer. Nobody whose charge comes after it pays. */
export interface BlockedCharge {
  readonly subscriptionId: Hex
  readonly subscriber: Address
  readonly provider: Address
  readonly token: Address
  /** The day from which remit reverts. */
  readonly dayNumber: number
  /** The block at which the transfer was tried. */
  readonly blockNumber: number
  /** Unix seconds. */
  readonly blockTimestamp: number
}

/** Why a membership ends, or holds remit up. */
export type Trouble = 'allowance' | 'balance' | 'both' | 'blocked'

/** What becomes of a membership's charges, as the state of one block decides. */
export interface Verdict {
  /** The day of its next charge, also where remit passes over it; `null` where the calendar has no due day left. */
  readonly firstDay: number | null
  /**
   * One letter for each charge from `firstDay` up to the horizon (VERDICT_DAYS): P is paid, F is paid and fills the fee balance, S is
   * passed over by remit, X fails, B is blocked. An X or a B is the last one: it ends the membership, or holds remit up.
   */
  readonly charges: string
  /** The charge of that X or B, and what is missing for it; `null` where there is none. */
  readonly trouble: {
    readonly kind: Trouble
    readonly dayNumber: number
    /** Raw units, 0 where nothing is missing. */
    readonly missingAllowance: bigint
    readonly missingBalance: bigint
  } | null
}

/** A membership: who subscribes, to what. */
export interface ChargedMembership {
  readonly subscriber: Address
  readonly terms: SubscriptionTerms
}

/** How many members all subscriptions of one due list (frequency and due day) have that are not cancelled. */
export interface DueMembers {
  readonly frequency: Frequency
  readonly dueDay: number
  readonly members: number
}

/** Whose memberships: all of a provider's subscriptions, or those of one. */
export type VerdictScope = { readonly provider: Address } | { readonly subscriptionId: Hex }

/** A membership whose coming charge will fail, or hold remit up. */
export interface TroubledMembership extends ChargedMembership {
  readonly trouble: NonNullable<Verdict['trouble']>
  /** The block of the verdict. */
  readonly blockNumber: number
  /** Unix seconds. */
  readonly blockTimestamp: number
  /** Unix seconds of its last subscribing. */
  readonly subscribedAt: number
}

/** A membership with what the index knows of its charges: `firstDay` and `charges` of its newest `Verdict`, `null` before the first. */
export interface KnownVerdict extends ChargedMembership {
  readonly firstDay: number | null
  readonly charges: string | null
  /** Unix seconds of its last subscribing. */
  readonly subscribedAt: number
}

/** By what members are sorted; rows that are equal in it are in the order of addresses. */
export const MEMBER_SORTS = ['trouble', 'nextCharge', 'subscribedAt', 'subscriber'] as const

/** Which members of a provider to list, and in which order. */
export interface MemberListQuery {
  readonly provider: Address
  /** Only of this subscription of theirs. */
  readonly subscriptionId: Hex | undefined
  /** `trouble`: who will not pay first, soonest first; then the others by their next charge. */
  readonly sort: (typeof MEMBER_SORTS)[number]
  readonly order: 'asc' | 'desc'
  /** Only those whose address begins with and ends in these texts, or has the first one anywhere. Lower case. */
  readonly address: { readonly begin: string; readonly end: string } | { readonly part: string } | undefined
  readonly first: number
  readonly after: string | undefined
}

/** An active membership, with what is known of its charges. */
export interface ListedMember extends ChargedMembership {
  /** Its last subscribing. Amounts are in the token's smallest unit. */
  readonly joined: { readonly timestamp: number; readonly toProvider: bigint; readonly toFeeBalance: bigint }
  /** The newest due day that remit charged since; `null` where it has charged none. */
  readonly lastPaidDay: number | null
  /** `null` until it is read. */
  readonly verdict: (Verdict & { readonly blockNumber: number; readonly blockTimestamp: number }) | null
}

/** How many charges of one kind are expected on a day. */
export interface ExpectedCharges {
  readonly terms: SubscriptionTerms
  readonly dayNumber: number
  /**
   * `skipped`: remit passes over it for good, because its token is paused, or where one call of remit broke off within its day and the
   * next went on; or it was made already, on a day that is not finished.
   */
  readonly kind: 'paid' | 'filled' | 'failed' | 'blocked' | 'skipped'
  readonly count: number
}

/** How old the verdicts of a scope are, and how many memberships have none yet. */
export interface VerdictAges {
  readonly memberships: number
  readonly unread: number
  /** `null` where there is no verdict. */
  readonly oldest: { readonly blockNumber: number; readonly timestamp: number } | null
  readonly newest: { readonly blockNumber: number; readonly timestamp: number } | null
}

/**
 * What the sweep knows of the charges to come. Every active membership of a live subscription has a verdict or counts
 * as unread. An event of its payer makes it unread until the sweep reads it again.
 */
export interface VerdictQueries {
  /** The day of the index's block. The chain's own is later where no block came for a day. */
  readonly indexDay: number
  /** The known charges that will make remit revert, up to a day, earliest first; at most `first`, none before `fromDay`. */
  blockedCharges(untilDay: number, first: number, fromDay?: number): Promise<readonly BlockedCharge[]>
  /** Exact sums over all verdicts of the scope, by subscription, day and kind. */
  expectedCharges(scope: VerdictScope, untilDay: number): Promise<readonly ExpectedCharges[]>
  /** Earliest first. `after` is the nextCursor of the page before. Throws ValidationError on `after`. */
  troubledMemberships(
    scope: VerdictScope,
    untilDay: number,
    page: { readonly first: number; readonly after: string | undefined },
  ): Promise<{ readonly rows: readonly TroubledMembership[]; readonly nextCursor: string | null }>
  /**
   * The memberships whose next charge comes up to a day, soonest first, after those that are unread; at most `first`. The
   * total counts all.
   */
  chargedThrough(
    scope: VerdictScope,
    untilDay: number,
    first: number,
  ): Promise<{ readonly rows: readonly KnownVerdict[]; readonly total: number }>
  verdictAges(scope: VerdictScope): Promise<VerdictAges>
  /** The active members of live subscriptions, a page at a time. Throws ValidationError on `after`. */
  members(query: MemberListQuery): Promise<{
    readonly rows: readonly ListedMember[]
    /** Of all pages. */
    readonly total: number
    readonly nextCursor: string | null
  }>
  /** All live memberships of these accounts in these tokens: what shares their allowance and balance. */
  chargedMemberships(
    payers: readonly { readonly subscriber: Address; readonly token: Address }[],
  ): Promise<readonly ChargedMembership[]>
}
