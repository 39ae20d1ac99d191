// Generated from packages/service/src/operations by packages/service/src/clientGenerator/main.ts. Do not edit.
import type { Address, Hex } from 'viem'
import type { CallOptions, EachOptions } from '../call/CallOptions.ts'

/** A known value, or one that only a newer service has. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

export interface AccountSubscription {
  subscription: Subscription
  /** 0 active, 1 cancelled, 2 unsubscribed. */
  status: 0 | 1 | 2
  statusLabel: Open<'ACTIVE' | 'CANCELLED' | 'UNSUBSCRIBED'>
  /**
   * As the contract counts, including accounts that leave while remit is in the middle of them. If the
   * answer has `index`: current subscribers only.
   */
  totalSubscribers: number
}

export interface ActivityEvent {
  /** The subscription. null for APPROVAL: an allowance is shared by all subscriptions in its token. */
  id: Hex | null
  /** As the log states it. null for APPROVAL. */
  provider: Address | null
  /** null where the event has none: Created and Cancelled. */
  subscriber: Address | null
  token: {
    address: Address
    /** null where the token gives no readable text. */
    symbol: string | null
    /** null where the token gives no readable text. */
    name: string | null
    /** null where the log names a token that the protocol has not approved. */
    decimals: number | null
  }
  /**
   * What happened. It decides what `amount` means. Created: The price of one full period. Nothing moved.
   * Cancelled: Always 0. Nothing moved. ProviderPaid: What was paid to the provider. Failed: Always 0: a
   * due payment could not be taken, and the subscriber was dropped. ProviderRefunded: What the provider
   * got of a fee balance when its subscriber left or was dropped; 0 where it was empty. SubscriberPaid:
   * The full period taken from the subscriber: the same money as the ProviderPaid that follows it.
   * Subscribed: The price of one full period. What was charged at once is in the FeeFilled and
   * ProviderPaid beside it. Unsubscribed: The price of one full period. Nothing moved. FeeFilled: Beside
   * a Subscribed, what went into the fee balance; in a remit, the full period, of which a ProviderPaid
   * beside it states the part that went to the provider. SubscriberRefunded: The price of one full
   * period, whatever was refunded: what moved is in the token transfer beside it. APPROVAL: The
   * allowance of the contract from then on, in that token, given by `subscriber`; 2^256 - 1, "unlimited"
   * in `formattedAmount`, is never used up with most tokens. Nothing moved. What charges take from an
   * allowance is not logged.
   */
  eventName: Open<'Created' | 'Cancelled' | 'ProviderPaid' | 'Failed' | 'ProviderRefunded' | 'SubscriberPaid' | 'Subscribed' | 'Unsubscribed' | 'FeeFilled' | 'SubscriberRefunded' | 'APPROVAL'>
  /** The event’s number in the contract. null for APPROVAL. */
  subScriptEvent: number | null
  /**
   * What the log states, exact, in human units: see eventName. null where the log names a token that the
   * protocol has not approved.
   */
  amount: string | null
  /**
   * The same amount in the token's smallest unit. null where the log names a token that the protocol has
   * not approved.
   */
  amountRaw: bigint | null
  /** null where the log names a token that the protocol has not approved. */
  tokenDecimals: number | null
  /**
   * Amount and symbol, such as "10.5 USDC"; the token’s address where it has no symbol. null where the
   * log names a token that the protocol has not approved.
   */
  formattedAmount: string | null
  /** Unix time in seconds. */
  timestamp: number
  /** The same moment in ISO 8601, UTC. */
  formattedTimestamp: Date
  blockNumber: number
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  transactionHash: Hex
  logIndex: number
  /** Whether its block can no longer be reorganised away. */
  finalized: boolean
  /** The account’s part in this event. */
  roles: (Open<'subscriber' | 'provider'>)[]
}

export interface AllowanceCovers {
  /** Charges by remit that the allowance still pays for. */
  periods: number
  /** Day of the last one; null where it pays for none. */
  until: Day | null
}

export interface ApiKey {
  id: string
  subjectId: string
  label: string | null
  /** The first characters of the key. */
  prefix: string
  /** Unix time in seconds. */
  createdAt: number
  /** Unix time in seconds, up to a minute late. */
  lastUsedAt: number | null
  expiresAt: number | null
  revokedAt: number | null
}

export interface ApprovedToken {
  address: Address
  /** null where the token gives no readable text. */
  symbol: string | null
  /** null where the token gives no readable text. */
  name: string | null
  /** Decimals that the contract uses for the token: the contract's own entry. */
  decimals: number
  /** Minimum amount of a subscription, exact, in human units. */
  minimum: string
  /** The same in the token's smallest unit, rounded up to a whole one. */
  minimumRaw: bigint
  /** While paused nobody can create or subscribe, and remit skips it. */
  paused: boolean
}

export interface AsOf {
  blockNumber: number
  /** Block hash: 32 bytes as 0x-prefixed hex. */
  blockHash: Hex
  /** Unix time in seconds. */
  timestamp: number
}

export interface AuthorizationToSign {
  domain: {
    name?: string
    version?: string
    /** EIP-155 chain id. */
    chainId?: number
    verifyingContract: Address
    salt?: Hex
  }
  types: {
    EIP712Domain: {
      name: string
      type: string
    }[]
    TransferWithAuthorization: {
      name: string
      type: string
    }[]
  }
  primaryType: Open<'TransferWithAuthorization'>
  message: {
    from: Address
    to: Address
    value: bigint
    validAfter: bigint
    validBefore: bigint
    /** The hash of all that is signed: the same, signed twice, pays once. */
    nonce: Hex
  }
  /** Until then whoever holds the signature can carry it. */
  validBefore: number
  /** The EIP-712 digest. A wallet shows the same, or signs something else. */
  digest: Hex
}

export interface CarriedPermit {
  /** Whose permission it is. Nothing of `from` is at stake but the gas. */
  owner: Address
  /** null where the protocol has not approved it. */
  token: Token | null
  /** Unix time in seconds. */
  deadline: number
  /** true: somebody else has carried it, and the allowance stands. Nothing is left to send. */
  alreadyCarried: boolean
  allowance: {
    before: Quantity
    after: Quantity
  } | null
  /** Of the owner. */
  balance: Quantity | null
  /** The owner’s active subscriptions in the token: how far its balance and the allowance carry each. */
  subscriptions: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    before: Covers
    after: Covers
  }[]
}

export interface CarriedTopUp {
  /** Whose money it is. Nothing of `from` is at stake but the gas. */
  payer: Address
  /** Unix time in seconds. */
  validBefore: number
  /**
   * true: it was carried already, or its payer has cancelled it; the token does not say which. Nothing
   * is left to send, and `balance.after` is what the account has now.
   */
  alreadyUsed: boolean
  /** Whom the money goes to. Nobody can take it back. */
  account: Address
  /** null where the protocol has not approved it. */
  token: Token | null
  /** How much it gets. */
  value: Quantity | null
  /** Of the account. */
  balance: {
    before: Quantity
    after: Quantity
  } | null
  /** The account’s active subscriptions in the token: how far its balance and allowance carry each. */
  subscriptions: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    before: Covers
    after: Covers
  }[]
}

export interface Chain {
  /** EIP-155 chain id. */
  chainId: number
  /** The id as CAIP-2: eip155:<id>. */
  caip2: string
  name: string
  /** Whether protocol routes serve it. */
  rest: boolean
  /** Whether tools serve it. */
  mcp: boolean
  /** Used where no chainId is given. */
  default: boolean
}

export interface CoverageExtension {
  /** null where the protocol has not approved it. */
  token: Token | null
  allowance: {
    current: Quantity
    /** What pays for all charges of all of them up to `coversUntil`. */
    needed: Quantity
    /** What the allowance is after these transactions. It is never lowered. */
    proposed: Quantity
    /**
     * The day on which the last of them comes to its last charge: they share the allowance, so all are
     * covered until then.
     */
    coversUntil: Day | null
  } | null
  balance: Quantity | null
  /** The wallet’s active subscriptions in the token. */
  subscriptions: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** How far the allowance alone carries it; null without end. */
    allowanceCovers: {
      before: AllowanceCovers | null
      after: AllowanceCovers | null
    }
    /** By today’s balance and the allowance after these transactions. */
    covers: Covers
  }[]
}

export interface Covers {
  /** Charges by remit that are paid; null without end. */
  periods: number | null
  /** Due day of the last one; null where none is paid, and without end. */
  until: Day | null
  /** What is short for the first charge that fails: balance where both are. null without end. */
  limitedBy: Open<'allowance' | 'balance'> | null
  /** Due day of the charge that fails: remit then drops the subscriber for good. null without end. */
  failsOn: Day | null
}

export interface Day {
  /** Unix time / 86400, in UTC days. */
  dayNumber: number
  /** UTC date as YYYY-MM-DD. */
  date: string
}

export interface Eip5792 {
  version: string
  from: Address
  chainId: bigint
  atomicRequired: boolean
  calls: {
    to: Address
    data: Hex
    value: bigint
  }[]
  /** Only with paymasterUrl. */
  capabilities?: {
    paymasterService: {
      url: string
      optional: true
    }
  }
}

/** What happened, or is about to. Its type decides what its data is. There may be more types later. */
export type Event = {
  /** The same in every index of the chain, and after each replay. */
  id: string
  /** EIP-155 chain id. */
  chainId: number
  /** The place in this service’s log of the chain: it only grows. */
  sequence: number
  /** When its block was made, in ISO 8601. */
  time: Date
  block: EventBlock
  /** null where no log says it. */
  transactionHash: Hex | null
  logIndex: number | null
  /**
   * seen: its block may be replaced, or was. confirmed: ten blocks are on top. final: it stays. What was
   * taken back is never more than seen.
   */
  finality: Open<'seen' | 'confirmed' | 'final'>
  subject: EventSubject
} & ({
  type: 'subscription.created'
  data: {
    token: Token | null
    amount: Quantity | null
    frequency: number
    dueDay: number
    details: {
      url: string
      description: string
    } | null
  }
} | {
  type: 'subscription.edited'
  data: {
    url: string
    description: string
  }
} | {
  type: 'subscription.cancelled'
  data: Record<string, never>
} | {
  type: 'subscriber.joined'
  data: {
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'subscriber.left'
  data: {
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'subscriber.removed'
  data: {
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'subscriber.dropped'
  data: {
    /**
     * What was too little for a full period when remit came: by the state of the block before, and what
     * the block moved earlier. The contract does not log it: unknown where no node had that state when the
     * event was indexed, or where it shows neither.
     */
    reason: Open<'allowance' | 'balance' | 'both' | 'unknown'>
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'payment.succeeded'
  data: {
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'payment.failed'
  data: {
    /**
     * What was too little for a full period when remit came: by the state of the block before, and what
     * the block moved earlier. The contract does not log it: unknown where no node had that state when the
     * event was indexed, or where it shows neither.
     */
    reason: Open<'allowance' | 'balance' | 'both' | 'unknown'>
    /** null where a clean-up named a token that is not approved. */
    payment: Payment | null
  }
} | {
  type: 'provider.edited'
  data: {
    description: string
    company: string
    url: string
    domain: string
    email: string
    misc: string
  }
} | {
  type: 'token.paused'
  data: {
    token: Token | null
  }
} | {
  type: 'token.resumed'
  data: {
    token: Token | null
  }
} | {
  type: 'remit.behind'
  data: {
    /** The day that remit has to finish next. */
    nextUncheckedDay: Day
    /** Since the due day of the oldest charge that waits. */
    daysWaiting: number
  }
} | {
  type: 'coverage.ending'
  data: {
    /** How many more charges are carried. */
    charges: number
    /** The due day of the first charge that is not. */
    failsOn: Day
    /** What is too little; blocked: the token refuses the transfer. */
    reason: Open<'allowance' | 'balance' | 'both' | 'blocked'>
    token: Token | null
    missingAllowance: Quantity | null
    missingBalance: Quantity | null
  }
} | {
  type: 'payment.at_risk'
  data: {
    /** The due day of the charge. */
    dueDay: Day
    /** What is too little; blocked: the token refuses the transfer. */
    reason: Open<'allowance' | 'balance' | 'both' | 'blocked'>
    token: Token | null
    missingAllowance: Quantity | null
    missingBalance: Quantity | null
  }
} | {
  type: 'payment.safe_again'
  data: {
    /** The due day of the charge. */
    dueDay: Day
  }
} | {
  type: 'retracted'
  data: {
    /** What a reorganisation took back. */
    ids: string[]
    /** The types of what it took back. */
    types: (Open<'subscription.created' | 'subscription.edited' | 'subscription.cancelled' | 'subscriber.joined' | 'subscriber.left' | 'subscriber.removed' | 'subscriber.dropped' | 'payment.succeeded' | 'payment.failed' | 'provider.edited' | 'token.paused' | 'token.resumed' | 'remit.behind' | 'coverage.ending' | 'payment.at_risk' | 'payment.safe_again' | 'retracted'>)[]
  }
})

export interface EventBlock {
  number: number
  /** Block hash: 32 bytes as 0x-prefixed hex. */
  hash: Hex
  /** Unix time in seconds. */
  timestamp: number
}

export interface EventSubject {
  subscriptionId: Hex | null
  provider: Address | null
  /** The subscriber. */
  account: Address | null
  token: Address | null
}

export interface GasEstimate {
  /** EIP-155 chain id. */
  chainId: number
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  /** null where the chain has no such fee. */
  l1DataFeeWei: bigint | null
  estimatedCostWei: bigint
  /** Exact, in ether. */
  estimatedCostEth: string
  source: Open<'simulated' | 'estimated' | 'heuristic'>
}

export interface GasSummary {
  /** EIP-155 chain id. */
  chainId: number
  totalGasLimit: bigint
  totalEstimatedCostWei: bigint
  /** Exact, in ether. */
  totalEstimatedCostEth: string
  transactionCount: number
  /**
   * Of remit: how many such transactions its whole backlog takes (the preflight’s expectedTransactions).
   * The totals below are as many times this one.
   */
  backlogMultiplier?: number
  totalBacklogEstimatedCostWei?: bigint
  /** Exact, in ether. */
  totalBacklogEstimatedCostEth?: string
}

export interface HistoryEvent {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** As the log states it. */
  provider: Address
  /** null where the event has none: Created and Cancelled. */
  subscriber: Address | null
  token: {
    address: Address
    /** null where the token gives no readable text. */
    symbol: string | null
    /** null where the token gives no readable text. */
    name: string | null
    /** null where the log names a token that the protocol has not approved. */
    decimals: number | null
  }
  /**
   * What happened. It decides what `amount` means. Created: The price of one full period. Nothing moved.
   * Cancelled: Always 0. Nothing moved. ProviderPaid: What was paid to the provider. Failed: Always 0: a
   * due payment could not be taken, and the subscriber was dropped. ProviderRefunded: What the provider
   * got of a fee balance when its subscriber left or was dropped; 0 where it was empty. SubscriberPaid:
   * The full period taken from the subscriber: the same money as the ProviderPaid that follows it.
   * Subscribed: The price of one full period. What was charged at once is in the FeeFilled and
   * ProviderPaid beside it. Unsubscribed: The price of one full period. Nothing moved. FeeFilled: Beside
   * a Subscribed, what went into the fee balance; in a remit, the full period, of which a ProviderPaid
   * beside it states the part that went to the provider. SubscriberRefunded: The price of one full
   * period, whatever was refunded: what moved is in the token transfer beside it.
   */
  eventName: Open<'Created' | 'Cancelled' | 'ProviderPaid' | 'Failed' | 'ProviderRefunded' | 'SubscriberPaid' | 'Subscribed' | 'Unsubscribed' | 'FeeFilled' | 'SubscriberRefunded'>
  /** The event’s number in the contract. */
  subScriptEvent: number
  /**
   * What the log states, exact, in human units: see eventName. null where the log names a token that the
   * protocol has not approved.
   */
  amount: string | null
  /**
   * The same amount in the token's smallest unit. null where the log names a token that the protocol has
   * not approved.
   */
  amountRaw: bigint | null
  /** null where the log names a token that the protocol has not approved. */
  tokenDecimals: number | null
  /**
   * Amount and symbol, such as "10.5 USDC"; the token’s address where it has no symbol. null where the
   * log names a token that the protocol has not approved.
   */
  formattedAmount: string | null
  /** Unix time in seconds. */
  timestamp: number
  /** The same moment in ISO 8601, UTC. */
  formattedTimestamp: Date
  blockNumber: number
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  transactionHash: Hex
  logIndex: number
  /** Whether its block can no longer be reorganised away. */
  finalized: boolean
}

export interface IndexPosition {
  blockNumber: number
  /** Unix time in seconds. */
  timestamp: number
  /** The chain head’s timestamp minus the index’s. */
  lagSeconds: number
  /** Whether it is at the head, except for the newest blocks. */
  synced: boolean
}

/** One failing field or precondition, with facts beside its code. */
export interface Issue {
  code?: PreconditionCode
  path?: string
  message: string
  [fact: string]: unknown
}

export interface Member {
  subscriber: Address
  /** The terms, as they are at the index’s block. */
  subscription: Subscription
  /** What the provider says of the subscription: a stranger’s text. null where it says nothing. */
  description: string | null
  /** When it last subscribed. */
  subscribedAt: number
  /** The same moment in ISO 8601, UTC. */
  formattedSubscribedAt: Date
  /** The last day that is paid for; null after the year 9999. */
  paidThrough: Day | null
  /** The first charge that remit has not made. null until it is read, and where no due day is left. */
  nextCharge: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /**
     * By what the account held and allowed at `readAt`. fails: remit drops it. waits: the token refuses
     * the transfer, and remit reverts. skipped: its token is paused, a page break of remit passes over it,
     * or it was charged already.
     */
    outcome: Open<'pays' | 'fails' | 'waits' | 'skipped'>
  } | null
  /** The first charge that is known to fail or to wait; null where none is. */
  trouble: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    reason: Open<'allowance' | 'balance' | 'both' | 'blocked'>
    missing: {
      allowance: Quantity
      balance: Quantity
    }
  } | null
  /** The block at which balance and allowance were read; null where they were not since its last event. */
  readAt: {
    blockNumber: number
    /** Unix time in seconds. */
    timestamp: number
  } | null
}

export interface MembershipProof {
  type: Open<'remit-membership-1'>
  /** EIP-155 chain id. */
  chainId: number
  contract: Address
  /** Block hash: 32 bytes as 0x-prefixed hex. */
  blockHash: Hex
  /** The block’s header, RLP. Its Keccak-256 is the hash of the block. */
  header: Hex
  /** The nodes of the trie from its root on, RLP. */
  account: Hex[]
  /** For each slot that makes somebody a member (docs/proofs.md), the way from the contract’s root. */
  slots: Hex[][]
  membership: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    isMember: boolean
    provider: Address
    token: Address
    /** One period, in protocol units (18 decimals), decimal. */
    amount: string
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    dueDay: number
    cancelled: boolean
  }
}

export interface OutlookCharge {
  /** The due day. Where remit is called late, the charge itself is made later. */
  day: Day
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  provider: Address
  token: Address
  /** Exact human amount: no exponent, no trailing zeros. */
  amount: string
  /** The same amount in the token's smallest unit. */
  amountRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
  /**
   * What leaves the wallet. A period that fills the fee balance can take a little less than `amount`; a
   * token that takes fees of its own on top was seen to take more, and what was not seen is counted in
   * proportion.
   */
  taken: Quantity
  /**
   * fails: remit drops the subscriber for good. waits: remit itself reverts on that day before it comes
   * to the charge, or on an earlier day; from there on it charges and drops nobody. skipped: remit
   * passes the day and never charges it.
   */
  verdict: Open<'pays' | 'fails' | 'waits' | 'skipped'>
  /**
   * What is too low where the charge fails. Otherwise null, and also where a simulated remit dropped the
   * wallet although it has enough by all that the token logs: such a token takes more than it logs.
   */
  failsBy: Open<'allowance' | 'balance' | 'both'> | null
  /** What is missing for the period where the charge fails; null where `failsBy` is. */
  missing: {
    allowance: Quantity
    balance: Quantity
  } | null
  /** What holds remit up where it waits; `remit.stop` says more. */
  blockedBy: Open<'transfer' | 'sweptTransfer' | 'gasCap' | 'emptyDays' | 'paging' | 'contractFunds' | 'unsubscribedList' | 'revert'> | null
  /**
   * tokenPaused: nothing is charged in a paused token. pageBreak: remit takes several calls for that
   * day, and passes over the charge between two of them, or has made it in an earlier one.
   */
  skippedBecause: Open<'tokenPaused' | 'pageBreak'> | null
  /**
   * What must be added to each today, so that this charge pays and all those before it in this token;
   * null where `missing` is. `missing` counts on it that what fails before has ended.
   */
  toAdd: {
    allowance: Quantity
    balance: Quantity
  } | null
}

export interface OutlookRemit {
  nextUncheckedDay: Day
  /** How far the forecast has seen. */
  seen: {
    /** Calls of remit that were simulated on the contract itself, everybody’s charges included. */
    calls: number
    /**
     * Up to this day all that remit does was tried. Charges after it are calculated by the protocol’s
     * rules, and the index’s sweep says who blocks remit: there, gas or a payer whom the sweep has not
     * read can still hold remit up, and a page break can skip a charge. null where nothing was tried.
     */
    through: Day | null
    /**
     * The block that the forecast was made at. One is made for all who ask, every few seconds; where that
     * takes long it is older, a minute at most. Allowances, balances and fee balances are those of the
     * block of this answer.
     */
    readAt: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
      /** How much older that block is than the block of this answer. */
      ageSeconds: number
    }
  }
  /** The day from which remit reverts, why, and who can help; null where nothing is known to stop it. */
  stop: {
    day: Day
    /**
     * transfer: a token refuses a transfer, as for a payer whom it blocks. sweptTransfer: it did when the
     * index’s sweep last tried it, for a day after those that were simulated; `remit.stop.readAt` says
     * when, and the whole day waits. gasCap: one call needs more gas than a transaction may have.
     * emptyDays: more empty days in a row than one call can walk. paging: maxRemits is 0. contractFunds:
     * the contract holds less of a token than it owes. unsubscribedList: a list that only the janitor can
     * shorten. revert: anything else.
     */
    blockedBy: Open<'transfer' | 'sweptTransfer' | 'gasCap' | 'emptyDays' | 'paging' | 'contractFunds' | 'unsubscribedList' | 'revert'>
    issues: Issue[]
    /**
     * Where only the sweep knows of the stop: the block at which it tried the transfer. null where the
     * forecast found the stop.
     */
    readAt: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
    } | null
  } | null
}

export interface OutlookToken {
  token: Token
  /** Nothing is charged in a paused token, and the periods are lost. */
  paused: boolean
  balance: Quantity
  allowance: Quantity
  /** The first charge that fails; null where none does. */
  firstFailure: {
    day: Day
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
  } | null
  /** What must be added to each today, so that every charge up to `through` pays, those that wait too. */
  toAdd: {
    allowance: Quantity
    balance: Quantity
  }
  /**
   * least: with one unit less, a charge fails. enough: it may be more than that, because a page break of
   * remit can skip a charge that could not be seen. atLeast: the token takes more than it is asked for,
   * so it may take more still.
   */
  toAddIs: Open<'least' | 'enough' | 'atLeast'>
}

export interface Payment {
  /**
   * firstCharge: subscribing. period: a full period by remit. feeFill: a period of which a part filled
   * the fee balance. left: the subscriber unsubscribed; the provider got the fee balance. dropped: a
   * charge failed, and remit ended the membership; the provider got the fee balance less the fees.
   * removed: the provider ended the membership; the subscriber got the fee balance back. cleanedUp: the
   * protocol’s janitor ended it after a cancellation; the subscriber got the fee balance back less
   * `systemShare`.
   */
  kind: Open<'firstCharge' | 'period' | 'feeFill' | 'left' | 'dropped' | 'removed' | 'cleanedUp'>
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  provider: Address
  /** The payer. */
  subscriber: Address
  token: Token
  /** The due day that remit charged; for everything else the day on which it happened. */
  day: Day
  /** What left the subscriber: toProvider and toFeeBalance of a charge. */
  charged: Quantity
  toProvider: Quantity
  toFeeBalance: Quantity
  /** What the subscriber got back of its fee balance. */
  toSubscriber: Quantity
  /**
   * What it paid out of the fee balance to the caller of remit. Remit pays for all subscribers of a
   * subscription at once; this is the payment’s equal share of that transfer.
   */
  callerFee: Quantity
  /** What it paid out of the fee balance to the protocol; a share as callerFee is. */
  systemShare: Quantity
  /** null unless it was dropped. */
  dropReason: Open<'allowance' | 'balance' | 'both' | 'unknown'> | null
  /** Unix time in seconds. */
  timestamp: number
  /** The same moment in ISO 8601, UTC. */
  formattedTimestamp: Date
  blockNumber: number
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  transactionHash: Hex
  logIndex: number
  /** Whether its block can no longer be reorganised away. */
  finalized: boolean
  /** The last log of the payment; logIndex is the first. */
  lastLogIndex: number
}

export interface PaymentProof {
  type: Open<'remit-payment-1'>
  /** EIP-155 chain id. */
  chainId: number
  contract: Address
  /** Block hash: 32 bytes as 0x-prefixed hex. */
  blockHash: Hex
  /** The block’s header, RLP. Its Keccak-256 is the hash of the block. */
  header: Hex
  receipt: {
    transactionIndex: number
    /** The nodes of the trie from its root on, RLP. */
    nodes: Hex[]
    /** The payment’s first log among the receipt’s own, from 0. */
    log: number
  }
  payment: {
    kind: Open<'firstCharge' | 'period' | 'feeFill' | 'left' | 'dropped' | 'removed' | 'cleanedUp'>
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    provider: Address
    subscriber: Address
    token: Address
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** In the token’s smallest unit, decimal. */
    charged: string
    /** In the token’s smallest unit, decimal. */
    toProvider: string
    /** In the token’s smallest unit, decimal. */
    toFeeBalance: string
    /** In the token’s smallest unit, decimal. */
    toSubscriber: string
    /** In the token’s smallest unit, decimal. */
    callerFee: string
    /** In the token’s smallest unit, decimal. */
    systemShare: string
  }
}

export interface PermitToSign {
  domain: {
    name?: string
    version?: string
    /** EIP-155 chain id. */
    chainId?: number
    verifyingContract: Address
    salt?: Hex
  }
  types: {
    EIP712Domain: {
      name: string
      type: string
    }[]
    Permit: {
      name: string
      type: string
    }[]
  }
  primaryType: Open<'Permit'>
  /** owner, value and deadline by EIP-2612; holder, expiry and allowed by DAI’s own form. */
  message: {
    owner?: Address
    holder?: Address
    spender: Address
    value?: bigint
    nonce: bigint
    deadline?: bigint
    expiry?: bigint
    allowed?: boolean
  }
  /** Until when the permit can be carried, whatever the owner approves or revokes meanwhile. */
  deadline: number
  /** The next permit that is carried uses it up, and voids all others of this nonce. */
  nonce: bigint
  /** The EIP-712 digest. A wallet shows the same, or signs something else. */
  digest: Hex
}

/** Why a write on chain cannot be prepared. */
export type PreconditionCode = Open<'SUBSCRIPTION_CANCELLED' | 'TOKEN_PAUSED' | 'TOKEN_NOT_APPROVED' | 'TOKEN_DECIMALS_MISMATCH' | 'AMOUNT_BELOW_MINIMUM' | 'AMOUNT_UNPAYABLE' | 'OWN_SUBSCRIPTION' | 'ALREADY_SUBSCRIBED' | 'NOT_SUBSCRIBED' | 'NOT_PROVIDER' | 'ALREADY_CANCELLED' | 'INSUFFICIENT_BALANCE' | 'SUBSCRIPTION_PAGING' | 'REMIT_NOT_DUE' | 'NOTHING_DUE' | 'REMIT_STALLED' | 'REMIT_BLOCKED_BY_TRANSFER' | 'TRANSACTION_GAS_CAP' | 'NOTHING_TO_REVOKE' | 'NOTHING_TO_EXTEND' | 'SIMULATION_FAILED'>

export interface ProviderIdentity {
  /** The domain that the newest profile states; null if it states none. */
  domain: {
    /**
     * The stated domain as DNS has it, letters of other scripts as xn--; null if it is none that is looked
     * up.
     */
    name: string | null
    /**
     * verified: the domain’s DNS names this provider, by two resolvers. unverified: it does not. failed:
     * nobody knows, because resolvers differ, fail, or were not asked for a day.
     */
    state: Open<'verified' | 'unverified' | 'failed'>
    /** What the state rests on. */
    reason: Open<'SIGNED' | 'NOT_LOOKED_UP' | 'NOT_A_DOMAIN' | 'NO_RECORD' | 'OTHER_SIGNATURE' | 'RESOLVERS_DISAGREE' | 'RESOLVER_FAILED' | 'OUTDATED'>
    /** When it was last looked up, unix seconds; null if never. */
    checkedAt: number | null
    formattedCheckedAt: Date | null
  } | null
  /** The address’s name in the chain’s registry of names (ENS, Basenames), which leads back to it. */
  chainName: string | null
}

export interface Quantity {
  /** Exact human amount: no exponent, no trailing zeros. */
  amount: string
  /** The same amount in the token's smallest unit. */
  amountRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
}

export interface RemitReadiness {
  currentDay: Day
  nextUncheckedDay: Day
  days: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    subscriptions: number
    /** Each counts once for each subscription. */
    subscribers: number
    willPay: number
    /** Dropped by this remit: allowance or balance below a full period. */
    willFail: number
    /** Calls of remit() that the day takes. */
    transactions: number
    /**
     * tried: its calls were tried at this block, as remit() or transfer by transfer. reckoned: calculated
     * by the protocol’s rules alone. blocked: no call gets past this day; an issue or a warning says why,
     * and only what goes through before counts.
     */
    state: Open<'tried' | 'reckoned' | 'blocked'>
  }[]
  /** Who will be dropped, in the contract’s order: the first 100. */
  failing: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** Which is short: the allowance where both are; null where it is unknown. */
    reason: Open<'allowance' | 'balance'> | null
  }[]
  /**
   * Calls of remit() until the backlog is cleared, or until the day that is blocked. With the warning
   * FORECAST_CUT, those after `seen.calls` are only calculated; where its reason is unknown, this is a
   * minimum.
   */
  expectedTransactions: number
  /** How far the forecast has seen. */
  seen: {
    /** How many of expectedTransactions were tried at this block, from the first on. */
    calls: number
    /**
     * The last day up to which everything was tried: today if nothing is left untried, the day before a
     * blocked one, null if the first unchecked day was not tried in full.
     */
    through: Day | null
  }
  maxRemits: number
  /** What all calls together pay their caller, less the system’s part where that is on. */
  callerFees: TokenQuantity[]
}

/** A signed permit that a member has left for its provider to carry. */
export interface Rescue {
  /** Id of the permit that is kept. */
  id: string
  /** The member, whose permission it is. */
  owner: Address
  provider: Address
  token: Address
  /** The allowance that it sets, in the token’s smallest unit. */
  value: bigint
  /** What was signed in place of `value`, in DAI’s own form; else null. */
  allowed: boolean | null
  /** Until when it can be carried, and is kept. */
  deadline: number
  nonce: bigint
  /** Whether anybody may see and carry it. */
  public: boolean
  /** Unix time in seconds. */
  createdAt: number
  /** The owner’s active subscriptions with the provider in the token; null where the index cannot tell. */
  subscriptions: Hex[] | null
}

/** A member of yours has left a signed permit for you to carry. GET /rescues has its signature. */
export interface RescueOffered {
  type: Open<'rescue.offered'>
  /** The same for each webhook that is told, and for each attempt. */
  id: string
  /** When it was handed in, in ISO 8601. */
  time: Date
  /** EIP-155 chain id. */
  chainId: number
  data: {
    /** Id of the permit that is kept. */
    rescueId: string
    /** Your wallet. */
    provider: Address
    /** The member, whose permission it is. */
    owner: Address
    token: Address
    /** The allowance that it sets, in the token’s smallest unit. */
    value: bigint
    /** Until when it can be carried. */
    deadline: number
    nonce: bigint
    /** Of yours, which it saves. */
    subscriptions: Hex[]
  }
}

export interface RevenueInterval {
  from: Day
  /** The day after the last one. */
  to: Day
  /** Whether the interval was over at the index’s block. */
  complete: boolean
  /** What came to the provider in all: received and feeBalancesReceived. */
  arrived: Quantity
  /** What left the subscribers: received and intoFeeBalances. */
  charged: Quantity
  /** What came to the provider from charges. */
  received: Quantity
  /** What subscribers put into their fee balances, for the callers of remit. */
  intoFeeBalances: Quantity
  /** Fee balances of those who left or were dropped, which came to the provider. */
  feeBalancesReceived: Quantity
  /** Fee balances that went back to subscribers: of those removed, and after a cancellation. */
  refunds: Quantity
  /** Paid out of fee balances to the callers of remit. */
  keptByCallers: Quantity
  /** Paid out of fee balances to the protocol. */
  keptBySystem: Quantity
  /** Charges that were paid, first charges included. */
  payments: number
  /** Charges that failed. Each dropped its subscriber. */
  failures: number
  subscribers: {
    /** Who subscribed, also again. */
    new: number
    /** Who unsubscribed. */
    left: number
    /** Whom the provider removed. */
    removed: number
    /** Whom remit dropped because a charge failed. */
    dropped: number
    /** Members of subscriptions when the provider cancelled these. */
    cancelled: number
    activeAtEnd: number
  }
  /**
   * What the contract holds at the end, or at the index’s block, of all that ever went into fee
   * balances: intoFeeBalances without feeBalancesReceived, refunds, keptByCallers and keptBySystem, from
   * the first payment on. It is the members’, but for what stays in the contract for good: of those who
   * were dropped with no more than one fee, and fees that remit did not pay out.
   */
  feeBalancesAtEnd: Quantity
  /**
   * Monthly recurring revenue: one full period of each active member of subscriptions that are not
   * cancelled, per month. A week counts 20871/4800 times, a month once, a quarter a third, a year a
   * twelfth. Fees are not taken off.
   */
  mrrAtEnd: {
    /** Rounded down to the token’s smallest unit. */
    amount: string
    /** The same amount in the token's smallest unit. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
    /** The exact figure in the smallest unit: numerator / denominator. */
    numerator: bigint
    denominator: bigint
  }
  churn: {
    /** Who left. */
    voluntary: {
      /** How many ended so. */
      ended: number
      /** Memberships that were active at some time of the interval: at its start, or begun within it. */
      of: number
    }
    /** Who was dropped. */
    involuntary: {
      /** How many ended so. */
      ended: number
      /** Memberships that were active at some time of the interval: at its start, or begun within it. */
      of: number
    }
  }
}

export interface Simulation {
  success: true
  method: Open<'eth_simulateV1' | 'eth_call' | 'partial'>
  blockNumber: number
  calls: {
    success: boolean
    gasUsed: bigint
    events: TransactionEvent[] | null
  }[]
  balanceChanges: {
    account: Address
    token: Token
    /** Exact human amount: no exponent, no trailing zeros. */
    amount: string
    /** The same amount in the token's smallest unit; negative for a loss. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
  }[]
}

export interface SubscribePreflight {
  subscription: Subscription
  needsApproval: boolean
  allowance: {
    current: Quantity
    /** One full period: the contract refuses less. */
    contractRequired: Quantity
    /**
     * Enough for approvalPeriods charges and the subscriptions that share it; with keepCoverage, also for
     * the others’ dates.
     */
    needed: Quantity
    /** What the allowance is after these transactions. */
    proposed: Quantity
    coversUntil: Day | null
    /**
     * Other subscriptions that draw on the same allowance. In the order in which remit charges them, the
     * first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  balance: Quantity
  /** What subscribing takes at once, and where it goes. */
  firstCharge: {
    toFeeBalance: Quantity
    toProvider: Quantity
  }
  nextDue: Day | null
  /**
   * How long the wallet pays for it after the first charge, from today’s balance and the new allowance,
   * beside its other subscriptions in the token; null where the provider has cancelled it.
   */
  covers: Covers | null
  /** The wallet’s other subscriptions in the token that are covered for less or more time afterwards. */
  alsoAffects: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    before: Covers
    after: Covers
    /** The same by the allowance alone; null without end. */
    allowanceCovers: {
      before: AllowanceCovers | null
      after: AllowanceCovers | null
    }
  }[]
}

export interface SubscribeReadiness {
  /** What all amounts here are in. */
  token: Token
  needsApproval: boolean
  allowance: Quantity
  balance: Quantity
  /** One full period, which balance and allowance must both reach. */
  requiredAmount: Quantity
  /** What subscribing takes at once, and where it goes. */
  firstCharge: {
    toFeeBalance: Quantity
    toProvider: Quantity
  }
  nextDue: Day | null
  neededAllowance: Quantity
  proposedAllowance: Quantity
  coversUntil: Day | null
  /**
   * How long the wallet pays for it after the first charge, from today’s balance and the new allowance,
   * beside its other subscriptions in the token; null where the provider has cancelled it.
   */
  covers: Covers | null
  /** The wallet’s other subscriptions in the token that are covered for less or more time afterwards. */
  alsoAffects: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    before: Covers
    after: Covers
    /** The same by the allowance alone; null without end. */
    allowanceCovers: {
      before: AllowanceCovers | null
      after: AllowanceCovers | null
    }
  }[]
}

export interface Subscription {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  provider: Address
  token: Token
  cancelled: boolean
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency: 0 | 1 | 2 | 3
  frequencyLabel: Open<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'>
  /** Day of the week (Monday is 1), month, quarter or year on which remit charges. */
  dueDay: number
  /** Exact human amount: no exponent, no trailing zeros. */
  amount: string
  /** The same amount in the token's smallest unit. */
  amountRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
  /** The first due day, today or later, that remit has not checked; null once cancelled. */
  nextDue: Day | null
  /** Due days before today that remit has not checked yet: the oldest, 12 at most. */
  overdue: Day[]
  /** Overdue days in all. */
  overdueCount: number
}

export interface Token {
  address: Address
  /** null where the token gives no readable text. */
  symbol: string | null
  /** null where the token gives no readable text. */
  name: string | null
  /** Decimals that the contract uses for the token: the contract's own entry. */
  decimals: number
}

/** Amounts are what the token logged. This says whether its balances agree. */
export interface TokenCheck {
  /**
   * Whether the token’s balances show what it logs, by a simulated transfer. A token that once differed
   * stays so. notChecked: nobody pays in it at present, no node can simulate, or its turn has not come.
   */
  check: Open<'agrees' | 'differs' | 'notChecked'>
  /** null if it is not checked. */
  checkedAtBlock: number | null
}

export interface TokenQuantity {
  token: Token
  /** Exact human amount: no exponent, no trailing zeros. */
  amount: string
  /** The same amount in the token's smallest unit. */
  amountRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
}

export interface TokenRevenue {
  token: Token
  tokenCheck: TokenCheck
  total: {
    /** What came to the provider in all: received and feeBalancesReceived. */
    arrived: Quantity
    /** What left the subscribers: received and intoFeeBalances. */
    charged: Quantity
    /** What came to the provider from charges. */
    received: Quantity
    /** What subscribers put into their fee balances, for the callers of remit. */
    intoFeeBalances: Quantity
    /** Fee balances of those who left or were dropped, which came to the provider. */
    feeBalancesReceived: Quantity
    /** Fee balances that went back to subscribers: of those removed, and after a cancellation. */
    refunds: Quantity
    /** Paid out of fee balances to the callers of remit. */
    keptByCallers: Quantity
    /** Paid out of fee balances to the protocol. */
    keptBySystem: Quantity
    /** Charges that were paid, first charges included. */
    payments: number
    /** Charges that failed. Each dropped its subscriber. */
    failures: number
    subscribers: {
      /** Who subscribed, also again. */
      new: number
      /** Who unsubscribed. */
      left: number
      /** Whom the provider removed. */
      removed: number
      /** Whom remit dropped because a charge failed. */
      dropped: number
      /** Members of subscriptions when the provider cancelled these. */
      cancelled: number
    }
  }
  intervals: RevenueInterval[]
}

export interface TopUp {
  /** Whom the money goes to. Nobody can take it back. */
  account: Address
  /** null where the protocol has not approved it. */
  token: Token | null
  /** How much it gets. */
  value: Quantity | null
  /** Of the account. */
  balance: {
    before: Quantity
    after: Quantity
  } | null
  /** The account’s active subscriptions in the token: how far its balance and allowance carry each. */
  subscriptions: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    before: Covers
    after: Covers
  }[]
  /** What the account’s balance lacks for its charges of the next 90 days, by the protocol’s rules. */
  missing: Quantity | null
  /** What `from` holds of the token. */
  payerBalance: Quantity | null
}

export interface TransactionEvent {
  /** Its name in the ABI; null where it could not be decoded. */
  event: string | null
  /** The contract that emitted it. */
  address: Address
  /** For a SubLog: what happened, such as Subscribed. */
  eventName?: string
  args: Record<string, string | number | boolean>
  /** The human token amount, where the event states one. */
  amount?: string
  amountRaw?: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals?: number
}

export interface UnsignedTransaction {
  to: Address
  data: Hex
  value: bigint
  /** EIP-155 chain id. */
  chainId: number
  from: Address
}

/** A non-fatal hint, with facts beside its code. */
export interface Warning {
  code: WarningCode
  message: string
  [fact: string]: unknown
}

/** What an answer warns of. */
export type WarningCode = Open<'BACKLOG_CHARGE' | 'FORECAST_CUT' | 'SEARCH_CUT' | 'TRANSFER_LOGS_DIFFER' | 'TOKEN_TAKES_MORE' | 'REMIT_STALLED' | 'REMIT_BLOCKED_BY_TRANSFER' | 'TRANSACTION_GAS_CAP' | 'BALANCE_SHORT' | 'SHORTENS_COVERAGE' | 'DAY_ENDS_SOON' | 'ALLOWANCE_REMAINS' | 'ALLOWANCE_RESET' | 'PERMIT_LOWERS_ALLOWANCE' | 'PERMIT_OUTSTANDING' | 'INSUFFICIENT_GAS_FUNDS' | 'REMIT_NEEDS_MORE_TRANSACTIONS' | 'SIMULATION_PARTIAL' | 'GAS_HEURISTIC' | 'ESTIMATE_ADDRESS_REVERTS' | 'TOKEN_DECIMALS_MISMATCH'>

export interface Webhook {
  /** Id of the webhook. */
  id: string
  url: string
  description: string | null
  /** null for all chains. */
  chainId: number | null
  /** null for all events. */
  types: (Open<'subscription.created' | 'subscription.edited' | 'subscription.cancelled' | 'subscriber.joined' | 'subscriber.left' | 'subscriber.removed' | 'subscriber.dropped' | 'payment.succeeded' | 'payment.failed' | 'provider.edited' | 'token.paused' | 'token.resumed' | 'remit.behind' | 'coverage.ending' | 'payment.at_risk' | 'payment.safe_again' | 'retracted' | 'webhook.paused' | 'rescue.offered'>)[] | null
  filters: {
    subscriptionId: Hex | null
    provider: Address | null
    account: Address | null
  }
  finality: Open<'seen' | 'confirmed' | 'final'>
  status: Open<'active' | 'paused'>
  /** owner: you did; gone: it answered 410; failing: nothing got through for five days. */
  pausedReason: Open<'owner' | 'gone' | 'failing'> | null
  pausedAt: number | null
  /** Unix time in seconds. */
  createdAt: number
  lastDeliveredAt: number | null
  /** The first failure since the last delivery. */
  failingSince: number | null
  /** Until when the secret before the last rotation signs too. */
  oldSecretUntil: number | null
}

/** Whether the URL is of somebody who wants a webhook there. */
export interface WebhookChallenge {
  type: Open<'webhook.challenge'>
  id: string
  /** To be answered, as the whole text. */
  challenge: string
}

export interface WebhookDelivery {
  eventId: string
  type: string
  /** null for what is no event of a log: webhook.paused. */
  chainId: number | null
  /** The event’s place in the log. */
  sequence: number | null
  /** dead: given up after three days. Deliver it again if you want it. */
  state: Open<'pending' | 'delivered' | 'dead'>
  /** Whether it was asked for again, and so comes out of order. */
  again: boolean
  attempts: number
  /** Unix time in seconds. */
  createdAt: number
  nextAttemptAt: number | null
  lastAttemptAt: number | null
  /** What came of the last attempt. */
  last: {
    /** null where no answer came. */
    status: number | null
    /** The first 1,024 bytes, without control characters. */
    answer: string | null
    /** Why no answer came. */
    failure: Open<'name' | 'forbidden_address' | 'connection' | 'timeout'> | null
    durationMs: number
  } | null
  /** What is sent, to the letter. */
  body: string
}

/** Another webhook of yours was paused. */
export interface WebhookPaused {
  type: Open<'webhook.paused'>
  /** The same for each webhook that is told, and for each attempt. */
  id: string
  /** When it was paused, in ISO 8601. */
  time: Date
  data: {
    /** The webhook that was paused. */
    webhookId: string
    description: string | null
    /** gone: it answered 410; failing: nothing got through for 5 days. */
    reason: Open<'gone' | 'failing'>
    failingSince: number | null
  }
}

/** A test that you asked for. It says nothing that happened. */
export interface WebhookTest {
  type: Open<'webhook.test'>
  id: string
  /** When it was sent, in ISO 8601. */
  time: Date
  data: {
    /** Id of the webhook. */
    webhookId: string
  }
}

/** What `getService` takes. */
export type GetServiceInput = Record<string, never>

/** What `getService` answers. */
export interface GetServiceAnswer {
  name: string
  version: string
  links: {
    catalog: string
    openapi: string
    /** The reference for people, in a browser. */
    docs: string
    /** What agents read first; it names every guide. */
    llms: string
    mcp: string
    status: string
  }
}

/** What `getStatus` takes. */
export type GetStatusInput = Record<string, never>

/** What `getStatus` answers. */
export interface GetStatusAnswer {
  status: Open<'ok' | 'degraded' | 'disabled'>
  service: string
  version: string
  apiEnabled: boolean
  /** Always `free`: keys are not looked at here. `X-Service-Lane` of other answers tells yours. */
  lane: Open<'free' | 'developer'>
  chains: {
    /** EIP-155 chain id. */
    chainId: number
    rpc: {
      ok: boolean
      blockNumber: number | null
      latencyMs: number | null
      /** How old the newest block is; null before the first, and for a development chain. */
      headAgeSeconds: number | null
      /** Says that the newest block is much older than blocks of this chain are; null otherwise. */
      alarm: string | null
    }
    /**
     * What the operator must correct before the chain is served, naming the variable; null where nothing
     * is known to be wrong.
     */
    misconfigured: string | null
    /** What the chain’s nodes limit, as far as it is known. Answers may be poorer for it. */
    limits: {
      /** The place of its URL among the chain’s, from 1. */
      endpoint: number
      source: Open<'set' | 'learnt'>
      name: Open<'batch' | 'body' | 'logRange' | 'logResults' | 'callGas' | 'simulationGas'>
      /** The most that it grants at once. */
      most: number
    }[]
    /** What nodes lack. `replicas` says that several nodes answer at the URL. */
    peculiarities: {
      /** The place of its URL among the chain’s, from 1. */
      endpoint: number
      source: Open<'set' | 'learnt'>
      name: Open<'blockHash' | 'simulateV1' | 'stateOverrides' | 'finalized' | 'pastLogs' | 'replicas'>
    }[]
    /** null for a chain that is read without an index. */
    index: {
      source: Open<'rpc' | 'subgraph'>
      /** Whether it can be read and is kept up to date. */
      ok: boolean
      /** The last indexed block; null before the first. */
      blockNumber: number | null
      lagSeconds: number | null
      /** Whether it is at the head, except for the newest blocks. */
      synced: boolean
      /** Progress of the first read of the chain’s past; null when none is running. */
      backfill: {
        fromBlock: number
        toBlock: number
        /** The last block that has been read. */
        blockNumber: number
        percent: number
        blocksPerSecond: number
        /** How many blocks one request asks for at present; null if another process asks. */
        blocksPerRequest: number | null
        requestsLeft: number | null
        secondsLeft: number | null
      } | null
      /**
       * While approvals of the past are read behind the index: how far that is. Nothing waits for it. null
       * where all are known.
       */
      approvals: {
        fromBlock: number
        toBlock: number
        /** The approvals of blocks up to this one are known, and of new blocks. */
        blockNumber: number
        percent: number
      } | null
      /** What is wrong, for the operator; null where nothing is. */
      alarm: string | null
    } | null
  }[]
  /** null where webhooks are switched off, and for a moment after the start. */
  webhooks: {
    /** Webhooks that are not paused. */
    active: number
    /** Those of them that did not take the last request. */
    failing: number
    paused: number
    /** Processes that deliver. */
    deliverers: number
    /** Deliveries that are not done, those of paused webhooks too; counted up to 100,000. */
    waiting: number
    /** How long events have waited that could be sent: nobody handed them out, or no process had time. */
    behindSeconds: number
    /** What is wrong, for the operator; null where nothing is. */
    alarm: string | null
  } | null
  /** When the process that answers began. */
  startedAt: number
  /** The same moment in ISO 8601, UTC. */
  formattedStartedAt: Date
  /** What that process saw go wrong since then, at most 20, the newest first. */
  incidents: {
    /** What was wrong: nodes that do not answer, a head that stands still, and so on. */
    part: Open<'node' | 'head' | 'configuration' | 'index' | 'webhooks'>
    /** null for what belongs to no chain. */
    chainId: number | null
    message: string
    /** Unix time in seconds. */
    startedAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedStartedAt: Date
    /** null while it lasts. */
    endedAt: number | null
    formattedEndedAt: Date | null
  }[]
}

/** What `getReady` takes. */
export type GetReadyInput = Record<string, never>

/** What `getReady` answers. */
export interface GetReadyAnswer {
  ready: true
}

/** What `getCatalog` takes. */
export type GetCatalogInput = Record<string, never>

/** What `getCatalog` answers. */
export interface GetCatalogAnswer {
  version: string
  /** Used where ?chainId= is omitted. */
  chainId: number
  chains: Chain[]
  pathNote: string
  access: {
    rest: {
      free: {
        auth: Open<'none'>
        /** The values in force; null where the lane is not metered or does not exist. */
        limits: {
          globalRpm: number
          expensiveRpm: number
          subgraphDaily: number
          writeRpm: number
          writeDaily: number
          dailyTotalRequests: number
        } | null
      }
      developer: {
        auth: string
        enabled: boolean
        /** The values in force; null where the lane is not metered or does not exist. */
        limits: {
          globalRpm: number
          expensiveRpm: number
          subgraphDaily: number
          writeRpm: number
          writeDaily: number
          dailyTotalRequests: number
        } | null
        /** The routes that manage keys; null where keys are switched off. */
        management: {
          create: string
          list: string
          revoke: string
          adminAuth: string
        } | null
      }
    }
    mcp: {
      auth: string
      limits: string
    }
  }
  apiEnabled: boolean
  developerKeysEnabled: boolean
  routes: {
    method: string
    path: string
    description: string
  }[]
}

/** What `getOpenapi` takes. */
export type GetOpenapiInput = Record<string, never>

/** What `getOpenapi` answers. */
export interface GetOpenapiAnswer {
  openapi: string
  [fact: string]: unknown
}

/** What `getProtocolState` takes. */
export interface GetProtocolStateInput {
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getProtocolState` answers. */
export interface GetProtocolStateAnswer {
  contractAddress: Address
  /** What the caller of remit earns, in percent of each payment: 2 is 2 %. For display. */
  callerFeePercent: number
  /** The system’s part of the caller’s fee, in percent, where it is on. For display. */
  systemFeePercent: number
  /**
   * callerFeePercent as the contract stores it: 10000 plus hundredths of a percent, so that 10200 is 2
   * %. Not an amount: calculate as the contract does, amount × callerFee / 10000 − amount.
   */
  callerFee: bigint
  /** systemFeePercent as the contract stores it: 10000 plus hundredths of a percent. Not an amount. */
  systemFee: bigint
  /** Most subscribers that one remit() processes. */
  maxRemits: number
  /** Most accounts that one cleanup processes. */
  cancelLimit: number
  /** The first day that remit has not finished. */
  nextUncheckedDay: Day
  /** The day of the chain’s clock. */
  currentDay: Day
  /** Whole days before the current one that remit has not finished. */
  daysBehind: number
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `searchSubscriptions` takes. */
export interface SearchSubscriptionsInput {
  /**
   * Words to find in descriptions and providers’ names: all of them, in any case, without accents. From
   * three letters on, the beginning of a word will do. Nothing in it is syntax.
   */
  q?: string | undefined
  /** Only those of this provider. */
  provider?: Address | undefined
  /** Only those in this token: its address, or an approved token’s symbol such as "USDC". */
  token?: string | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly; or the word, such as "monthly". */
  frequency?: 0 | 1 | 2 | 3 | 'weekly' | 'monthly' | 'quarterly' | 'yearly' | '0' | '1' | '2' | '3' | undefined
  /** Only those that cost at least so much a period, in units of their own token, such as "2.5". */
  minAmount?: string | undefined
  /** Only those that cost at most so much a period. */
  maxAmount?: string | undefined
  /** true: only cancelled ones; false (default): only live ones. */
  cancelled?: boolean | undefined
  /**
   * Default: relevance with q, newest without. Amounts of different tokens are compared as numbers.
   * most_subscribers: as of the first page’s block on all pages.
   */
  sort?: 'newest' | 'relevance' | 'lowest_amount' | 'highest_amount' | 'most_subscribers' | undefined
  /** Whether rows come with url and description. */
  includeDetails?: boolean | undefined
  /** How many rows: default 10, at most 25. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so
   * now. Set it to the first page’s index.blockNumber to make `skip` exact.
   */
  untilBlock?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `searchSubscriptions` answers. */
export interface SearchSubscriptionsAnswer {
  subscriptions: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    provider: Address
    token: Token
    cancelled: boolean
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    frequencyLabel: Open<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'>
    /** Day of the week (Monday is 1), month, quarter or year on which remit charges. */
    dueDay: number
    /** Exact human amount: no exponent, no trailing zeros. */
    amount: string
    /** The same amount in the token's smallest unit. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
    /** The first due day, today or later, that remit has not checked; null once cancelled. */
    nextDue: Day | null
    /** Due days before today that remit has not checked yet: the oldest, 12 at most. */
    overdue: Day[]
    /** Overdue days in all. */
    overdueCount: number
    /** Unix time in seconds. */
    createdAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedCreatedAt: Date
    providerIdentity: ProviderIdentity
    /** The beginning of what its provider says of it; untrusted data. */
    descriptionLine: string | null
    /** What its provider calls itself, which nobody has verified; cut short. */
    providerName: string | null
    /** How many subscribe now. */
    subscribers: number
    /** With includeDetails: what the provider last published, untrusted data. */
    details?: {
      url: string
      description: string
    } | null
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** What was searched for; null where it was left open. */
  filters: {
    q: string | null
    provider: Address | null
    token: Address | null
    frequency: 0 | 1 | 2 | 3 | null
    minAmount: string | null
    maxAmount: string | null
    cancelled: boolean
    sort: Open<'newest' | 'relevance' | 'lowest_amount' | 'highest_amount' | 'most_subscribers'>
  }
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionsDue` takes. */
export interface GetSubscriptionsDueInput {
  /** Unix time / 86400, in UTC days. */
  dayNumber?: number | undefined
  /** UTC date as YYYY-MM-DD. */
  date?: string | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency?: 0 | 1 | 2 | 3 | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionsDue` answers. */
export interface GetSubscriptionsDueAnswer {
  /** Unix time / 86400, in UTC days. */
  dayNumber: number
  /** UTC date as YYYY-MM-DD. */
  date: string
  results: ({
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    frequencyLabel: Open<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'>
    dueDay: number
    subscriptionIds: Hex[]
  } & ({
    skipped: false
  } | {
    skipped: true
    /** Why nothing of this frequency can be due on such a day. */
    skipReason: string
  }))[]
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscription` takes. */
export interface GetSubscriptionInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscription` answers. */
export interface GetSubscriptionAnswer {
  subscription: Subscription
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionDetails` takes. */
export interface GetSubscriptionDetailsInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionDetails` answers. */
export interface GetSubscriptionDetailsAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  /** null where the index has none yet. */
  details: {
    url: string
    description: string
    /** Unix time in seconds. */
    updatedAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedUpdatedAt: Date
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
  } | null
  providerIdentity: ProviderIdentity
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Why the index could not be read, or is behind. */
  error?: string
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionDetailsHistory` takes. */
export interface GetSubscriptionDetailsHistoryInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so
   * now. Set it to the first page’s index.blockNumber to make `skip` exact.
   */
  untilBlock?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionDetailsHistory` answers. */
export interface GetSubscriptionDetailsHistoryAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  events: {
    url: string
    description: string
    /** Unix time in seconds. */
    timestamp: number
    /** The same moment in ISO 8601, UTC. */
    formattedTimestamp: Date
    blockNumber: number
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
    logIndex: number
    /** Whether its block can no longer be reorganised away. */
    finalized: boolean
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Why the index could not be read, or is behind. */
  error?: string
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionHistory` takes. */
export interface GetSubscriptionHistoryInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so
   * now. Set it to the first page’s index.blockNumber to make `skip` exact.
   */
  untilBlock?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionHistory` answers. */
export interface GetSubscriptionHistoryAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  events: HistoryEvent[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Why the index could not be read, or is behind. */
  error?: string
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscribers` takes. */
export interface GetSubscribersInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** How many rows: default 100, at most 500. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page. */
  after?: Address | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscribers` answers. */
export interface GetSubscribersAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  token: Token
  subscribers: {
    subscriber: Address
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Same as `feeBalance.amountRaw`. */
    feeBalanceRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getMembership` takes. */
export interface GetMembershipInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** The subscriber. */
  address: Address
  /** Days after paidThrough on which one who left is still entitled; default 0. Not for the dropped. */
  graceDays?: number | undefined
  /** Whether to answer the proof too, which takes expensive units. */
  proof?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getMembership` answers. */
export interface GetMembershipAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  subscriber: Address
  token: Token
  state: Open<'active' | 'left' | 'removed' | 'dropped' | 'cancelled'>
  entitled: boolean
  /** When the state began: the subscribing, or what ended the membership. */
  since: {
    /** Unix time in seconds. */
    timestamp: number
    /** The same moment in ISO 8601, UTC. */
    formattedTimestamp: Date
    blockNumber: number
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
    logIndex: number
    /** Whether its block can no longer be reorganised away. */
    finalized: boolean
  }
  /** When the account subscribed last. */
  subscribedAt: {
    /** Unix time in seconds. */
    timestamp: number
    /** The same moment in ISO 8601, UTC. */
    formattedTimestamp: Date
    blockNumber: number
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
    logIndex: number
    /** Whether its block can no longer be reorganised away. */
    finalized: boolean
  }
  /** The last day that is paid for; null after the year 9999. */
  paidThrough: Day | null
  lastPayment: {
    /** Unix time in seconds. */
    timestamp: number
    /** The same moment in ISO 8601, UTC. */
    formattedTimestamp: Date
    blockNumber: number
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
    logIndex: number
    /** Whether its block can no longer be reorganised away. */
    finalized: boolean
    /** The due day that it was for, or the day of subscribing. */
    day: Day
    charged: Quantity
  }
  /** null where nothing is charged any more. */
  nextCharge: {
    /** The due day. Where remit is behind, the charge itself comes later. */
    day: Day
    /**
     * By what the account holds and allows now, after its earlier charges in the token: pays, fails (remit
     * then drops it), or paused: the token is, and remit passes over it. Remit may also pass over the rest
     * of a day that takes several of its calls, which the account’s outlook tells.
     */
    outcome: Open<'pays' | 'fails' | 'paused'>
    /** What is missing where it fails. */
    missing: {
      allowance: Quantity
      balance: Quantity
    } | null
  } | null
  /** null unless it was dropped. */
  dropReason: Open<'allowance' | 'balance' | 'both' | 'unknown'> | null
  /** Where it was asked for: whether it is a member at the block. */
  proof?: MembershipProof
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getFeeBalance` takes. */
export interface GetFeeBalanceInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** The subscriber. */
  address: Address
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getFeeBalance` answers. */
export interface GetFeeBalanceAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  subscriber: Address
  token: Token
  /** What the contract holds for this subscriber to pay remit’s callers. */
  feeBalance: Quantity
  /** Same as `feeBalance.amountRaw`. */
  feeBalanceRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionRevenue` takes. */
export interface GetSubscriptionRevenueInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** The first day, in UTC, as YYYY-MM-DD. */
  from: string
  /** The day after the last one, in UTC, as YYYY-MM-DD. */
  to: string
  /**
   * Calendar intervals in UTC, weeks from Monday; default month. The first and the last one are cut at
   * from and to. At most 400.
   */
  interval?: 'day' | 'week' | 'month' | undefined
  /** Only payments in this token. */
  token?: Address | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionRevenue` answers. */
export interface GetSubscriptionRevenueAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  from: Day
  to: Day
  interval: Open<'day' | 'week' | 'month'>
  /** One entry for each token of subscriptions that had members, payments or fee balances. */
  tokens: TokenRevenue[]
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getPayment` takes. */
export interface GetPaymentInput {
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  txHash: Hex
  /** The log’s index in its block. */
  logIndex: number
  /** Whether to answer the proof too, which takes expensive units. */
  proof?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getPayment` answers. */
export interface GetPaymentAnswer {
  payment: Payment
  /** The terms, as they are at the index’s block. */
  subscription: Subscription
  /** Blocks from the payment’s to the index’s, both counted. */
  confirmations: number
  tokenCheck: TokenCheck
  /** Where it was asked for. */
  proof?: PaymentProof
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getAccount` takes. */
export interface GetAccountInput {
  /** The account. */
  address: Address
  /** How many rows: default 100, at most 500. */
  first?: number | undefined
  /** nextCursor of the previous page. */
  after?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getAccount` answers. */
export interface GetAccountAnswer {
  account: Address
  subscribedTo: {
    subscription: Subscription
    /** 0 active, 1 cancelled, 2 unsubscribed. */
    status: 0 | 1 | 2
    statusLabel: Open<'ACTIVE' | 'CANCELLED' | 'UNSUBSCRIBED'>
    /**
     * As the contract counts, including accounts that leave while remit is in the middle of them. If the
     * answer has `index`: current subscribers only.
     */
    totalSubscribers: number
    feeBalance: Quantity
    /**
     * Whether the token is paused. Remit charges nothing in it then. `covers` and `allowanceCovers` count
     * as if it were not paused.
     */
    tokenPaused: boolean
    /**
     * How long balance and allowance pay for this subscription, beside the wallet’s others in the same
     * token. Income is not counted. It begins with the first day that remit has not finished, and counts
     * what remit has charged on that day once more. The account’s outlook simulates remit. null where
     * nothing is charged any more.
     */
    covers: Covers | null
    /**
     * How long the allowance alone pays for it; null where it has no end, or where nothing is charged any
     * more.
     */
    allowanceCovers: AllowanceCovers | null
  }[]
  /** Of all, not only of this page. */
  subscribedToCount: number
  created: AccountSubscription[]
  /** Of all, not only of this page. */
  createdCount: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getAccountSubscriptions` takes. */
export interface GetAccountSubscriptionsInput {
  /** The account. */
  address: Address
  /** true: those it subscribed to; false (default): those it created. */
  bySubscriber?: boolean | undefined
  /** How many rows: default 100, at most 500. */
  first?: number | undefined
  /** nextCursor of the previous page. */
  after?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getAccountSubscriptions` answers. */
export interface GetAccountSubscriptionsAnswer {
  account: Address
  bySubscriber: boolean
  subscriptions: AccountSubscription[]
  /** Of all, not only of this page. */
  subscriptionsCount: number
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getAccountActivity` takes. */
export interface GetAccountActivityInput {
  /** The account. */
  address: Address
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so
   * now. Set it to the first page’s index.blockNumber to make `skip` exact.
   */
  untilBlock?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getAccountActivity` answers. */
export interface GetAccountActivityAnswer {
  account: Address
  events: ActivityEvent[]
  breakdown: {
    /** Events in its whole history. */
    asSubscriber: number
    /** Events in its whole history. */
    asProvider: number
  }
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Why the index could not be read, or is behind. */
  error?: string
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getAccountOutlook` takes. */
export interface GetAccountOutlookInput {
  /** The account. */
  address: Address
  /** How many days ahead to look, from today on: default 90, at most 366. */
  days?: number | undefined
  /** How many rows: default 100, at most 500. */
  first?: number | undefined
  /** The nextCursor of the page before. */
  after?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getAccountOutlook` answers. */
export interface GetAccountOutlookAnswer {
  account: Address
  today: Day
  /** The last day of the outlook. */
  through: Day
  /** Balances and allowances are today’s: what the wallet receives until then is not counted. */
  moneyToCome: Open<'notCounted'>
  /** Of the whole outlook, not only of this page. */
  counts: {
    charges: number
    pays: number
    fails: number
    waits: number
    skipped: number
  }
  /** What it holds and lets the protocol take, token by token, and what is missing. */
  wallet: {
    tokens: OutlookToken[]
  }
  remit: OutlookRemit
  /** In the order in which remit takes them. */
  charges: OutlookCharge[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getProviderProfile` takes. */
export interface GetProviderProfileInput {
  /** The provider. */
  address: Address
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getProviderProfile` answers. */
export interface GetProviderProfileAnswer {
  provider: Address
  profile: {
    description: string
    company: string
    url: string
    domain: string
    email: string
    misc: string
    /** Unix time in seconds. */
    updatedAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedUpdatedAt: Date
  } | null
  identity: ProviderIdentity
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Why the index could not be read, or is behind. */
  error?: string
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getProviderRevenue` takes. */
export interface GetProviderRevenueInput {
  /** The provider. */
  address: Address
  /** The first day, in UTC, as YYYY-MM-DD. */
  from: string
  /** The day after the last one, in UTC, as YYYY-MM-DD. */
  to: string
  /**
   * Calendar intervals in UTC, weeks from Monday; default month. The first and the last one are cut at
   * from and to. At most 400.
   */
  interval?: 'day' | 'week' | 'month' | undefined
  /** Only payments in this token. */
  token?: Address | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getProviderRevenue` answers. */
export interface GetProviderRevenueAnswer {
  provider: Address
  from: Day
  to: Day
  interval: Open<'day' | 'week' | 'month'>
  /** One entry for each token of subscriptions that had members, payments or fee balances. */
  tokens: TokenRevenue[]
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `listProviderPayments` takes. */
export interface ListProviderPaymentsInput {
  address: Address
  /** The first day on which they were taken, in UTC, as YYYY-MM-DD. Together with `to`. */
  from?: string | undefined
  /** The day after the last one, in UTC, as YYYY-MM-DD. */
  to?: string | undefined
  /**
   * true: only what ended a membership, which says who left, was removed, dropped or cleaned up, and
   * when.
   */
  ended?: boolean | undefined
  /** How many rows: default 25, at most 1000. */
  first?: number | undefined
  /** How many rows to skip. Not together with `after`. */
  skip?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so
   * now. Set it to the first page’s index.blockNumber to make `skip` exact.
   */
  untilBlock?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `listProviderPayments` answers. */
export interface ListProviderPaymentsAnswer {
  provider: Address
  payments: {
    /**
     * firstCharge: subscribing. period: a full period by remit. feeFill: a period of which a part filled
     * the fee balance. left: the subscriber unsubscribed; the provider got the fee balance. dropped: a
     * charge failed, and remit ended the membership; the provider got the fee balance less the fees.
     * removed: the provider ended the membership; the subscriber got the fee balance back. cleanedUp: the
     * protocol’s janitor ended it after a cancellation; the subscriber got the fee balance back less
     * `systemShare`.
     */
    kind: Open<'firstCharge' | 'period' | 'feeFill' | 'left' | 'dropped' | 'removed' | 'cleanedUp'>
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    provider: Address
    /** The payer. */
    subscriber: Address
    token: Token
    /** The due day that remit charged; for everything else the day on which it happened. */
    day: Day
    /** What left the subscriber: toProvider and toFeeBalance of a charge. */
    charged: Quantity
    toProvider: Quantity
    toFeeBalance: Quantity
    /** What the subscriber got back of its fee balance. */
    toSubscriber: Quantity
    /**
     * What it paid out of the fee balance to the caller of remit. Remit pays for all subscribers of a
     * subscription at once; this is the payment’s equal share of that transfer.
     */
    callerFee: Quantity
    /** What it paid out of the fee balance to the protocol; a share as callerFee is. */
    systemShare: Quantity
    /** null unless it was dropped. */
    dropReason: Open<'allowance' | 'balance' | 'both' | 'unknown'> | null
    /** Unix time in seconds. */
    timestamp: number
    /** The same moment in ISO 8601, UTC. */
    formattedTimestamp: Date
    blockNumber: number
    /** Transaction hash: 32 bytes as 0x-prefixed hex. */
    transactionHash: Hex
    logIndex: number
    /** Whether its block can no longer be reorganised away. */
    finalized: boolean
    /** The last log of the payment; logIndex is the first. */
    lastLogIndex: number
    /** What the provider says of the subscription now: a stranger’s text. null where it says nothing. */
    description: string | null
    tokenCheck: TokenCheck
    /** Give it as `after` for what comes after this row. */
    cursor: string
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `listProviderMembers` takes. */
export interface ListProviderMembersInput {
  /** The provider. */
  address: Address
  /** Only members of this subscription. */
  subscriptionId?: Hex | undefined
  /** Only addresses that begin with this, such as 0x7099 or 0x7099…79C8, or have these digits. */
  subscriber?: Hex | undefined
  /**
   * trouble (default): who will not pay first, soonest first, then by the next charge. Those that have
   * not been read are last.
   */
  sort?: 'trouble' | 'nextCharge' | 'subscribedAt' | 'subscriber' | undefined
  /** Default asc. */
  order?: 'asc' | 'desc' | undefined
  /** How many rows: default 25, at most 500. */
  first?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `listProviderMembers` answers. */
export interface ListProviderMembersAnswer {
  provider: Address
  members: Member[]
  /** Of all pages. */
  total: number
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getProviderOutlook` takes. */
export interface GetProviderOutlookInput {
  /** The provider. */
  address: Address
  /** How many days ahead, today being the first: default 30, at most 92. */
  days?: number | undefined
  /** How many of those who will not pay: default 25, at most 100. */
  first?: number | undefined
  /** The nextCursor of the page before. */
  after?: string | undefined
  /**
   * true: all memberships that are charged within the outlook are read again at this block, 2,000 at
   * most, with what their payers pay elsewhere. Beyond that, the sweep’s verdicts count, and
   * `verdicts.unread` says of how many.
   */
  fresh?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getProviderOutlook` answers. */
export interface GetProviderOutlookAnswer {
  provider: Address
  from: Day
  through: Day
  income: {
    /** One for each token. Exact sums of the verdicts below. */
    totals: {
      token: Token
      /** What reaches the provider, without what fills fee balances. */
      income: Quantity
      /** What waits, because remit stops before it. */
      waiting: Quantity
      /**
       * Full periods that fail. What is left of their fee balances goes to the provider and is not in
       * `income`.
       */
      missed: Quantity
      /** How many pay. */
      charges: number
      /**
       * How many remit does not charge any more: their token is paused, a page break passes over them, or
       * they were charged on a day that remit has not finished yet.
       */
      skipped: number
      waits: number
      fails: number
    }[]
    /** One for each day and token with a charge, overdue days first. */
    days: {
      token: Token
      /** What reaches the provider, without what fills fee balances. */
      income: Quantity
      /** What waits, because remit stops before it. */
      waiting: Quantity
      /**
       * Full periods that fail. What is left of their fee balances goes to the provider and is not in
       * `income`.
       */
      missed: Quantity
      /** How many pay. */
      charges: number
      /**
       * How many remit does not charge any more: their token is paused, a page break passes over them, or
       * they were charged on a day that remit has not finished yet.
       */
      skipped: number
      waits: number
      fails: number
      /** Unix time / 86400, in UTC days. */
      dayNumber: number
      /** UTC date as YYYY-MM-DD. */
      date: string
    }[]
  }
  /**
   * The payer whom the token refuses, where that stops remit: from this day on it reverts, and everybody
   * waits. Where a day takes several calls of remit, those before it are still made. null where nobody
   * is known, or where something else stops remit, which `remit.stop` tells.
   */
  blockedBy: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    token: Address
  } | null
  remit: OutlookRemit
  /** Who will fail or wait, earliest first. */
  troubled: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    token: Token
    /** Exact human amount: no exponent, no trailing zeros. */
    amount: string
    /** The same amount in the token's smallest unit. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
    /**
     * fails: remit drops the subscriber on that day. waits: remit itself reverts on that day or on an
     * earlier one, and from there on charges and drops nobody. pays: only with `fresh`, where it was short
     * and is not any more. skipped: only with `fresh`, where the token is paused, remit passes over the
     * charge between two calls on that day, or made it already.
     */
    outcome: Open<'fails' | 'waits' | 'pays' | 'skipped'>
    /**
     * What is too low for the charge, also where it waits; blocked: the token refuses the transfer. null,
     * only with `fresh`, where nothing of this membership is in the way any more: it pays, is skipped, or
     * waits because something else reverts remit.
     */
    reason: Open<'allowance' | 'balance' | 'both' | 'blocked'> | null
    /** What is short on that day. */
    missing: {
      allowance: Quantity
      balance: Quantity
    }
    /** When it last subscribed. */
    subscribedAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedSubscribedAt: Date
    /** The block of the verdict. */
    readAt: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
    }
  }[]
  /** How many of them there are up to the last day. */
  total: number
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** How old what this answer knows of allowances and balances is. */
  verdicts: {
    /** Active memberships of live subscriptions. */
    memberships: number
    /**
     * Of them, those that have not been read since their last event. They are in no sum. With `fresh`:
     * those that are charged within the outlook and were not read for this answer.
     */
    unread: number
    oldest: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
      /** How much older that block is than the block of this answer. */
      ageSeconds: number
    } | null
    newest: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
      /** How much older that block is than the block of this answer. */
      ageSeconds: number
    } | null
  }
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getSubscriptionOutlook` takes. */
export interface GetSubscriptionOutlookInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** How many days ahead, today being the first: default 30, at most 92. */
  days?: number | undefined
  /** How many of those who will not pay: default 25, at most 100. */
  first?: number | undefined
  /** The nextCursor of the page before. */
  after?: string | undefined
  /**
   * true: all memberships that are charged within the outlook are read again at this block, 2,000 at
   * most, with what their payers pay elsewhere. Beyond that, the sweep’s verdicts count, and
   * `verdicts.unread` says of how many.
   */
  fresh?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getSubscriptionOutlook` answers. */
export interface GetSubscriptionOutlookAnswer {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  from: Day
  through: Day
  income: {
    /** One for each token. Exact sums of the verdicts below. */
    totals: {
      token: Token
      /** What reaches the provider, without what fills fee balances. */
      income: Quantity
      /** What waits, because remit stops before it. */
      waiting: Quantity
      /**
       * Full periods that fail. What is left of their fee balances goes to the provider and is not in
       * `income`.
       */
      missed: Quantity
      /** How many pay. */
      charges: number
      /**
       * How many remit does not charge any more: their token is paused, a page break passes over them, or
       * they were charged on a day that remit has not finished yet.
       */
      skipped: number
      waits: number
      fails: number
    }[]
    /** One for each day and token with a charge, overdue days first. */
    days: {
      token: Token
      /** What reaches the provider, without what fills fee balances. */
      income: Quantity
      /** What waits, because remit stops before it. */
      waiting: Quantity
      /**
       * Full periods that fail. What is left of their fee balances goes to the provider and is not in
       * `income`.
       */
      missed: Quantity
      /** How many pay. */
      charges: number
      /**
       * How many remit does not charge any more: their token is paused, a page break passes over them, or
       * they were charged on a day that remit has not finished yet.
       */
      skipped: number
      waits: number
      fails: number
      /** Unix time / 86400, in UTC days. */
      dayNumber: number
      /** UTC date as YYYY-MM-DD. */
      date: string
    }[]
  }
  /**
   * The payer whom the token refuses, where that stops remit: from this day on it reverts, and everybody
   * waits. Where a day takes several calls of remit, those before it are still made. null where nobody
   * is known, or where something else stops remit, which `remit.stop` tells.
   */
  blockedBy: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    token: Address
  } | null
  remit: OutlookRemit
  /** Who will fail or wait, earliest first. */
  troubled: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    subscriptionId: Hex
    subscriber: Address
    token: Token
    /** Exact human amount: no exponent, no trailing zeros. */
    amount: string
    /** The same amount in the token's smallest unit. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
    /**
     * fails: remit drops the subscriber on that day. waits: remit itself reverts on that day or on an
     * earlier one, and from there on charges and drops nobody. pays: only with `fresh`, where it was short
     * and is not any more. skipped: only with `fresh`, where the token is paused, remit passes over the
     * charge between two calls on that day, or made it already.
     */
    outcome: Open<'fails' | 'waits' | 'pays' | 'skipped'>
    /**
     * What is too low for the charge, also where it waits; blocked: the token refuses the transfer. null,
     * only with `fresh`, where nothing of this membership is in the way any more: it pays, is skipped, or
     * waits because something else reverts remit.
     */
    reason: Open<'allowance' | 'balance' | 'both' | 'blocked'> | null
    /** What is short on that day. */
    missing: {
      allowance: Quantity
      balance: Quantity
    }
    /** When it last subscribed. */
    subscribedAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedSubscribedAt: Date
    /** The block of the verdict. */
    readAt: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
    }
  }[]
  /** How many of them there are up to the last day. */
  total: number
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** How old what this answer knows of allowances and balances is. */
  verdicts: {
    /** Active memberships of live subscriptions. */
    memberships: number
    /**
     * Of them, those that have not been read since their last event. They are in no sum. With `fresh`:
     * those that are charged within the outlook and were not read for this answer.
     */
    unread: number
    oldest: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
      /** How much older that block is than the block of this answer. */
      ageSeconds: number
    } | null
    newest: {
      blockNumber: number
      /** Unix time in seconds. */
      timestamp: number
      /** How much older that block is than the block of this answer. */
      ageSeconds: number
    } | null
  }
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `listApprovedTokens` takes. */
export interface ListApprovedTokensInput {
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `listApprovedTokens` answers. */
export interface ListApprovedTokensAnswer {
  tokens: ApprovedToken[]
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** null where the index could not be read. */
  index: IndexPosition | null
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getApprovedToken` takes. */
export interface GetApprovedTokenInput {
  /** The ERC-20 contract. */
  token: Address
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getApprovedToken` answers. */
export interface GetApprovedTokenAnswer {
  token: ApprovedToken
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCreateSubscription` takes. */
export interface PrepareCreateSubscriptionInput {
  /** One period’s price in human units of the token, such as "10". */
  amount: string
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  details: {
    /** An https:// URL of at most 2048 characters, or "". */
    url: string
    /** Plain text, at most 255 bytes of UTF-8. */
    description: string
  }
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency: 0 | 1 | 2 | 3
  /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
  dueDay: number
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareCreateSubscription` answers. */
export interface PrepareCreateSubscriptionAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    amount: Quantity | null
    minimum: Quantity | null
    /** The first due day, today or later, that remit has not checked. */
    nextDue: Day | null
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    amount: Quantity | null
    minimum: Quantity | null
    /** The first due day, today or later, that remit has not checked. */
    nextDue: Day | null
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `checkSubscribeReadiness` takes. */
export interface CheckSubscribeReadinessInput {
  /** The terms as the caller knows them. They are only compared with the chain’s. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Not compared if omitted. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
    dueDay: number
  }
  /** Who would subscribe. */
  from: Address
  /** true: approve the maximum (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** How many charges of this subscription the allowance must cover. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve so much more that the wallet’s other subscriptions in the token stay covered as long
   * as now, up to a hundred years ahead. Not together with infiniteApproval.
   */
  keepCoverage?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `checkSubscribeReadiness` answers. */
export interface CheckSubscribeReadinessAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  ready: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven: boolean
  /**
   * Every precondition that fails; empty where it is ready. Where none does, the calls are run as a
   * prepare runs them: SIMULATION_FAILED says how they revert.
   */
  issues: Issue[]
  warnings: Warning[]
  /** What to do next, step by step. */
  instructions: string[]
  details: SubscribeReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `checkSubscribeReadinessById` takes. */
export interface CheckSubscribeReadinessByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who would subscribe. */
  from: Address
  /** true: approve the maximum (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** How many charges of this subscription the allowance must cover. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve so much more that the wallet’s other subscriptions in the token stay covered as long
   * as now, up to a hundred years ahead. Not together with infiniteApproval.
   */
  keepCoverage?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `checkSubscribeReadinessById` answers. */
export interface CheckSubscribeReadinessByIdAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  ready: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven: boolean
  /**
   * Every precondition that fails; empty where it is ready. Where none does, the calls are run as a
   * prepare runs them: SIMULATION_FAILED says how they revert.
   */
  issues: Issue[]
  warnings: Warning[]
  /** What to do next, step by step. */
  instructions: string[]
  details: SubscribeReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareSubscribe` takes. */
export interface PrepareSubscribeInput {
  /** The terms as the caller knows them. They are only compared with the chain’s. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Not compared if omitted. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
    dueDay: number
  }
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** true: approve the maximum (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** How many charges of this subscription the allowance must cover. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve so much more that the wallet’s other subscriptions in the token stay covered as long
   * as now, up to a hundred years ahead. Not together with infiniteApproval.
   */
  keepCoverage?: boolean | undefined
  /** true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it. */
  permit?: boolean | undefined
  /** Its end. Default an hour ahead, at most 7 days. */
  permitDeadline?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareSubscribe` answers. */
export interface PrepareSubscribeAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  /** With permit: true, in place of transactions. */
  permit?: PermitToSign
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: SubscribePreflight
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: SubscribeReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareSubscribeById` takes. */
export interface PrepareSubscribeByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** true: approve the maximum (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** How many charges of this subscription the allowance must cover. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve so much more that the wallet’s other subscriptions in the token stay covered as long
   * as now, up to a hundred years ahead. Not together with infiniteApproval.
   */
  keepCoverage?: boolean | undefined
  /** true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it. */
  permit?: boolean | undefined
  /** Its end. Default an hour ahead, at most 7 days. */
  permitDeadline?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareSubscribeById` answers. */
export interface PrepareSubscribeByIdAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  /** With permit: true, in place of transactions. */
  permit?: PermitToSign
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: SubscribePreflight
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: SubscribeReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareUnsubscribe` takes. */
export interface PrepareUnsubscribeInput {
  /** The terms as the caller knows them. They are only compared with the chain’s. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Not compared if omitted. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
    dueDay: number
  }
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareUnsubscribe` answers. */
export interface PrepareUnsubscribeAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the provider, on unsubscribing. */
    feeBalanceTo: Address
    /** What the protocol may still take of the wallet’s token. */
    allowance: Quantity
    /**
     * Other active subscriptions that are paid from that allowance. In the order in which remit charges
     * them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the provider, on unsubscribing. */
    feeBalanceTo: Address
    /** What the protocol may still take of the wallet’s token. */
    allowance: Quantity
    /**
     * Other active subscriptions that are paid from that allowance. In the order in which remit charges
     * them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareUnsubscribeById` takes. */
export interface PrepareUnsubscribeByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareUnsubscribeById` answers. */
export interface PrepareUnsubscribeByIdAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the provider, on unsubscribing. */
    feeBalanceTo: Address
    /** What the protocol may still take of the wallet’s token. */
    allowance: Quantity
    /**
     * Other active subscriptions that are paid from that allowance. In the order in which remit charges
     * them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the provider, on unsubscribing. */
    feeBalanceTo: Address
    /** What the protocol may still take of the wallet’s token. */
    allowance: Quantity
    /**
     * Other active subscriptions that are paid from that allowance. In the order in which remit charges
     * them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareExtendCoverage` takes. */
export interface PrepareExtendCoverageInput {
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** true: approve the maximum (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** For how many charges of each of them the allowance is to last. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve so much more that each of them stays covered as long as now. A larger allowance alone
   * can end one sooner: it lets another one go on that was to be dropped, and both draw on it.
   */
  keepCoverage?: boolean | undefined
  /** true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it. */
  permit?: boolean | undefined
  /** Its end. Default an hour ahead, at most 7 days. */
  permitDeadline?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareExtendCoverage` answers. */
export interface PrepareExtendCoverageAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  /** With permit: true, in place of transactions. */
  permit?: PermitToSign
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: CoverageExtension
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: CoverageExtension
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCarryPermit` takes. */
export interface PrepareCarryPermitInput {
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Whose permission it is. */
  owner: Address
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** The allowance that was signed for, raw. */
  value?: bigint | undefined
  /** In its place by DAI’s own form. */
  allowed?: boolean | undefined
  /** As it was signed, unix seconds. */
  deadline: number
  /** Of a key, or what the owner’s contract takes. */
  signature: Hex
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareCarryPermit` answers. */
export interface PrepareCarryPermitAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: CarriedPermit
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: CarriedPermit
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareTopUp` takes. */
export interface PrepareTopUpInput {
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** The member who gets it. */
  account: Address
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** How much, raw. Default: what it lacks for 90 days of charges. */
  value?: bigint | undefined
  /** true: answer an `authorization` (EIP-3009, EIP-712) to sign in place of a transfer. */
  authorization?: boolean | undefined
  /** Its end. Default an hour ahead, at most 7 days. */
  validBefore?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareTopUp` answers. */
export interface PrepareTopUpAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  /** With authorization: true, in place of transactions. */
  authorization?: AuthorizationToSign
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: TopUp
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: TopUp
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCarryTopUp` takes. */
export interface PrepareCarryTopUpInput {
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Who has signed, and pays. */
  payer: Address
  /** The member who gets it. */
  account: Address
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** As it was signed, raw. */
  value: bigint
  /** As it was signed, unix seconds. */
  validBefore: number
  /** Of a key or of the payer’s contract. */
  signature: Hex
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareCarryTopUp` answers. */
export interface PrepareCarryTopUpAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: CarriedTopUp
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: CarriedTopUp
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `offerRescue` takes. */
export interface OfferRescueInput {
  /** Whose permission it is. */
  owner: Address
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** The allowance that was signed for, raw. */
  value?: bigint | undefined
  /** In its place by DAI’s own form. */
  allowed?: boolean | undefined
  /** As it was signed, unix seconds. */
  deadline: number
  /** Of a key, or what the owner’s contract takes. */
  signature: Hex
  /** Who is to carry it: the owner subscribes to something of theirs in the token. */
  provider: Address
  /** true: anybody may see it, and carry it. Default: the provider and the owner alone. */
  public?: boolean | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `offerRescue` answers. */
export interface OfferRescueAnswer {
  rescue: Rescue
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `listRescues` takes. */
export interface ListRescuesInput {
  /** Default: the public ones of all providers. */
  provider?: Address | undefined
  /** How many rows: default 10, at most 25. */
  first?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `listRescues` answers. */
export interface ListRescuesAnswer {
  rescues: {
    /** Id of the permit that is kept. */
    id: string
    /** The member, whose permission it is. */
    owner: Address
    provider: Address
    token: Address
    /** The allowance that it sets, in the token’s smallest unit. */
    value: bigint
    /** What was signed in place of `value`, in DAI’s own form; else null. */
    allowed: boolean | null
    /** Until when it can be carried, and is kept. */
    deadline: number
    nonce: bigint
    /** Whether anybody may see and carry it. */
    public: boolean
    /** Unix time in seconds. */
    createdAt: number
    /** The owner’s active subscriptions with the provider in the token; null where the index cannot tell. */
    subscriptions: Hex[] | null
    signature: Hex
  }[]
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `withdrawRescue` takes. */
export interface WithdrawRescueInput {
  /** Id of the permit that is kept. */
  id: string
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `withdrawRescue` answers. */
export interface WithdrawRescueAnswer {
  /** Id of the permit that is kept. */
  id: string
  deleted: true
  warning: string
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareRevokeAllowance` takes. */
export interface PrepareRevokeAllowanceInput {
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it. */
  permit?: boolean | undefined
  /** Its end. Default an hour ahead, at most 7 days. */
  permitDeadline?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareRevokeAllowance` answers. */
export interface PrepareRevokeAllowanceAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  /** With permit: true, in place of transactions. */
  permit?: PermitToSign
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    /** What the protocol may take of the wallet now. */
    allowance: Quantity | null
    balance: Quantity | null
    /**
     * Active subscriptions paid from it. Without it, their next remit drops the wallet. In the order in
     * which remit charges them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    /** What the protocol may take of the wallet now. */
    allowance: Quantity | null
    balance: Quantity | null
    /**
     * Active subscriptions paid from it. Without it, their next remit drops the wallet. In the order in
     * which remit charges them, the first 100.
     */
    sharedWith: Hex[]
    /** How many they are in all. */
    sharedWithCount: number
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCancelSubscription` takes. */
export interface PrepareCancelSubscriptionInput {
  /** The terms as the caller knows them. They are only compared with the chain’s. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Not compared if omitted. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
    dueDay: number
  }
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareCancelSubscription` answers. */
export interface PrepareCancelSubscriptionAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCancelSubscriptionById` takes. */
export interface PrepareCancelSubscriptionByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareCancelSubscriptionById` answers. */
export interface PrepareCancelSubscriptionByIdAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareUnsubscribeByProvider` takes. */
export interface PrepareUnsubscribeByProviderInput {
  /** The terms as the caller knows them. They are only compared with the chain’s. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Not compared if omitted. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted. */
    dueDay: number
  }
  /** Who is to be removed. */
  subscriber: Address
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareUnsubscribeByProvider` answers. */
export interface PrepareUnsubscribeByProviderAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the subscriber, on removal. */
    feeBalanceTo: Address
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the subscriber, on removal. */
    feeBalanceTo: Address
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareUnsubscribeByProviderById` takes. */
export interface PrepareUnsubscribeByProviderByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who is to be removed. */
  subscriber: Address
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareUnsubscribeByProviderById` answers. */
export interface PrepareUnsubscribeByProviderByIdAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the subscriber, on removal. */
    feeBalanceTo: Address
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds for this subscriber to pay remit’s callers. */
    feeBalance: Quantity
    /** Who gets it: the subscriber, on removal. */
    feeBalanceTo: Address
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareEditDetails` takes. */
export interface PrepareEditDetailsInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  details: {
    /** An https:// URL of at most 2048 characters, or "". */
    url: string
    /** Plain text, at most 255 bytes of UTF-8. */
    description: string
  }
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareEditDetails` answers. */
export interface PrepareEditDetailsAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    subscription: Subscription
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareEditProviderDetails` takes. */
export interface PrepareEditProviderDetailsInput {
  /** Plain text, at most 255 bytes of UTF-8. */
  description: string
  /** Plain text, at most 255 bytes of UTF-8. */
  company: string
  /** An https:// URL of at most 255 bytes, or "". */
  url: string
  /** Plain text, at most 255 bytes of UTF-8. */
  domain: string
  /** Plain text, at most 255 bytes of UTF-8. */
  email: string
  /** Plain text, at most 255 bytes of UTF-8. */
  misc: string
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareEditProviderDetails` answers. */
export interface PrepareEditProviderDetailsAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: {
    provider: Address
  }
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    provider: Address
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `checkRemitReadiness` takes. */
export interface CheckRemitReadinessInput {
  /** Who would call remit() and earn the fee. Anybody may. */
  from: Address
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `checkRemitReadiness` answers. */
export interface CheckRemitReadinessAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  ready: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven: boolean
  /**
   * Every precondition that fails; empty where it is ready. Where none does, the calls are run as a
   * prepare runs them: SIMULATION_FAILED says how they revert.
   */
  issues: Issue[]
  warnings: Warning[]
  /** What to do next, step by step. */
  instructions: string[]
  details: RemitReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareRemit` takes. */
export interface PrepareRemitInput {
  /** Who will sign and send. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, if another wallet than the signer broadcasts. */
  simulateFromAddress?: Address | undefined
  /** An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here. */
  paymasterUrl?: string | undefined
  /** Only subscribing and extending coverage approve anything; here it may only be false. */
  infiniteApproval?: false | undefined
  /** An option of subscribing alone; here it may only be false. */
  keepCoverage?: false | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `prepareRemit` answers. */
export interface PrepareRemitAnswer {
  /** For support; nothing is stored under it. */
  requestId: string
  operation: string
  /** What to do next, step by step. */
  instructions: string[]
  warnings: Warning[]
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more or with paymasterUrl. */
  signingMode?: Open<'raw' | 'eip5792'>
  /** Ready for wallet_sendCalls; only where signingMode is eip5792. */
  eip5792?: Eip5792
  /** The next UTC midnight of the chain: prepare again after it. */
  validUntil?: number
  /** The same moment in ISO 8601, UTC. */
  formattedValidUntil?: Date
  simulation?: Simulation
  /** One for each transaction, in order. */
  gasEstimates?: GasEstimate[]
  gasSummary?: GasSummary
  /** What the preparation found on chain. */
  preflight?: RemitReadiness
  /** With readinessOnly. */
  ready?: boolean
  /**
   * true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a
   * warning says which. false: all of them were run, or an issue stands against it.
   */
  unproven?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: RemitReadiness
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `simulateRemit` takes. */
export interface SimulateRemitInput {
  /** Who would call remit() and earn the fee; default: nobody’s address. */
  from?: Address | undefined
  /** Unix time / 86400, in UTC days. */
  dayNumber?: number | undefined
  /** The day as YYYY-MM-DD: today (the default) to 366 days ahead. */
  date?: string | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `simulateRemit` answers. */
export interface SimulateRemitAnswer {
  from: Address
  day: Day
  /** Before these calls. */
  nextUncheckedDay: Day
  paid: number
  failed: number
  callerFees: {
    token: Token
    /** Exact human amount: no exponent, no trailing zeros. */
    amount: string
    /** The same amount in the token's smallest unit. */
    amountRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
  }[]
  calls: {
    /** Unix time / 86400, in UTC days. */
    dayNumber: number
    /** UTC date as YYYY-MM-DD. */
    date: string
    /** false where the call broke off at maxRemits. */
    finished: boolean
    /** Days without anything due that it passed before this one. */
    emptyDays: number
    gasUsed: bigint
    paid: number
    failed: number
    /** In the order in which remit takes them. */
    charges: {
      /** Subscription id: 32 bytes as 0x-prefixed hex. */
      subscriptionId: Hex
      subscriber: Address
      /** fails: remit drops the subscriber. */
      outcome: Open<'pays' | 'fails'>
      token: Address
      /**
       * What the provider receives: of a charge that fails, the rest of the fee balance. null where the
       * token does not log that transfer.
       */
      toProvider: Quantity | null
      /** What fills the fee balance, for the callers of remit. */
      toFeeBalance: Quantity | null
    }[]
    callerFees: {
      token: Token
      /** Exact human amount: no exponent, no trailing zeros. */
      amount: string
      /** The same amount in the token's smallest unit. */
      amountRaw: bigint
      /** Decimals that the contract uses for the token: the contract's own entry. */
      tokenDecimals: number
    }[]
    systemFees: {
      token: Token
      /** Exact human amount: no exponent, no trailing zeros. */
      amount: string
      /** The same amount in the token's smallest unit. */
      amountRaw: bigint
      /** Decimals that the contract uses for the token: the contract's own entry. */
      tokenDecimals: number
    }[]
  }[]
  /** null where nothing is due any more up to the day. */
  unfinished: {
    /** The first day that is not finished. */
    from: Day
    /**
     * reverted: remit itself reverts there, and nobody behind it pays. calls: there was room for no more
     * calls. gas: the next call ran out of gas, of a transaction’s or of what the node gives all calls
     * together.
     */
    because: Open<'reverted' | 'calls' | 'gas'>
    /** How the next call fails; null where none was made. */
    reason: {
      name: string
      message: string
      /** The contract’s own number for it. */
      protocolCode?: string
    } | null
  } | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getTransactionStatus` takes. */
export interface GetTransactionStatusInput {
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  txHash: Hex
  /** Who sent it. */
  from?: Address | undefined
  /** The nonce that it was sent with. */
  nonce?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `getTransactionStatus` answers. */
export interface GetTransactionStatusAnswer {
  /** Transaction hash: 32 bytes as 0x-prefixed hex. */
  transactionHash: Hex
  status: Open<'pending' | 'success' | 'reverted' | 'replaced' | 'unknown'>
  /** Whether it has a receipt. */
  confirmed: boolean
  confirmations: number
  finalized: boolean
  blockNumber: number | null
  gasUsed: bigint | null
  events: TransactionEvent[]
  /**
   * Id of the subscription that it created. Where it created several, as a bundle of smart accounts may,
   * or was not sent by the input’s `from`: the one that `from` created, if there is exactly one. Else
   * null.
   */
  createdSubscriptionId: Hex | null
  /** Why it reverted. */
  reason: {
    /** The contract’s own revert string, "0" to "25". */
    protocolCode?: string
    name: string
    message: string
    /** The raw revert data, where it could not be decoded. */
    data?: Hex
  } | null
  /** replay: from running it again on the parent block, without the transactions before it in its own. */
  reasonSource: Open<'replay'> | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `listEvents` takes. */
export interface ListEventsInput {
  /** Only events of this subscription. */
  subscriptionId?: Hex | undefined
  /** Only events of this provider and its subscriptions. */
  provider?: Address | undefined
  /** Only events of this subscriber. */
  account?: Address | undefined
  /**
   * Only these types, with commas between, such as "payment.at_risk,payment.failed". What a
   * reorganisation took back of them comes too.
   */
  type?: string | undefined
  /**
   * How sure an event must be: seen (default) tells at once, and later what was taken back; confirmed
   * waits for ten blocks; final for blocks that cannot be replaced.
   */
  finality?: 'seen' | 'confirmed' | 'final' | undefined
  /** The `next` of the page before. Default 0: from the beginning of the log. */
  after?: number | undefined
  /** How many events: default 25, at most 100. */
  first?: number | undefined
  /**
   * Wait up to so many seconds, at most 30, if there is nothing yet. It takes from the limit of
   * expensive requests.
   */
  wait?: number | undefined
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `listEvents` answers. */
export interface ListEventsAnswer {
  events: Event[]
  /** Events on this page. */
  count: number
  /** Whether there is more after `next` already. */
  hasMore: boolean
  /** Where to go on: the `after` of the next page. */
  next: number
  /** The newest sequence of the whole log. */
  last: number
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `createKey` takes. */
export interface CreateKeyInput {
  /**
   * Whose key it is, in your own words: 1 to 200 characters. A session leaves it out: the key is its
   * wallet’s.
   */
  subjectId?: string | undefined
  /** What the key is for: at most 100 characters. */
  label?: string | undefined
  /** Unix time in seconds at which the key expires. Default: never. */
  expiresAt?: number | undefined
}

/** What `createKey` answers. */
export interface CreateKeyAnswer {
  id: string
  /** The key itself. It cannot be shown again. */
  token: string
  key: ApiKey
  warning: string
}

/** What `listKeys` takes. */
export interface ListKeysInput {
  /** Only the keys of this subject. */
  subjectId?: string | undefined
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
}

/** What `listKeys` answers. */
export interface ListKeysAnswer {
  keys: ApiKey[]
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
}

/** What `getKey` takes. */
export interface GetKeyInput {
  /** Id of the key, not the key itself. */
  id: string
}

/** What `getKey` answers. */
export interface GetKeyAnswer {
  key: ApiKey
}

/** What `getKeyUsage` takes. */
export interface GetKeyUsageInput {
  /** Id of the key, not the key itself. */
  id: string
}

/** What `getKeyUsage` answers. */
export interface GetKeyUsageAnswer {
  id: string
  limits: {
    name: Open<'globalRpm' | 'expensiveRpm' | 'subgraphDaily' | 'writeRpm' | 'writeDaily' | 'dailyTotalRequests'>
    limit: number
    /** In the last 60 seconds, or on this UTC day. */
    used: number
    /** Until one more is free; for a day’s limit, until the UTC day ends. */
    resetSeconds: number
  }[]
}

/** What `renameKey` takes. */
export interface RenameKeyInput {
  /** Id of the key, not the key itself. */
  id: string
  /** What the key is for: at most 100 characters. null takes the label away. */
  label: string | null
}

/** What `renameKey` answers. */
export interface RenameKeyAnswer {
  key: ApiKey
}

/** What `rotateKey` takes. */
export interface RotateKeyInput {
  /** Id of the key, not the key itself. */
  id: string
}

/** What `rotateKey` answers. */
export interface RotateKeyAnswer {
  id: string
  /** The new key itself. It cannot be shown again. */
  token: string
  key: ApiKey
  /** The old key, with its end. */
  replaced: ApiKey
  warning: string
}

/** What `revokeKey` takes. */
export interface RevokeKeyInput {
  /** Id of the key, not the key itself. */
  id: string
}

/** What `revokeKey` answers. */
export interface RevokeKeyAnswer {
  key: ApiKey
  revoked: true
}

/** What `createWebhook` takes. */
export interface CreateWebhookInput {
  /** Where events are posted: https, at a public address. It has to answer a challenge first. */
  url: string
  /** Only events of this chain. Default: all chains. */
  chainId?: number | undefined
  /**
   * Only these types. What a reorganisation took back of them comes too. Default: all events.
   * webhook.paused says that another webhook of yours was paused, and rescue.offered that a member of
   * yours has left a signed permit to carry; they come only where they are named.
   */
  types?: readonly ('subscription.created' | 'subscription.edited' | 'subscription.cancelled' | 'subscriber.joined' | 'subscriber.left' | 'subscriber.removed' | 'subscriber.dropped' | 'payment.succeeded' | 'payment.failed' | 'provider.edited' | 'token.paused' | 'token.resumed' | 'remit.behind' | 'coverage.ending' | 'payment.at_risk' | 'payment.safe_again' | 'retracted' | 'webhook.paused' | 'rescue.offered')[] | undefined
  filters?: {
    /** Only events of this subscription. */
    subscriptionId?: Hex | undefined
    /** Only events of this provider and its subscriptions. */
    provider?: Address | undefined
    /** Only events of this subscriber. */
    account?: Address | undefined
  } | undefined
  /** How sure an event must be: seen (default), confirmed by ten blocks, or final. */
  finality?: 'seen' | 'confirmed' | 'final' | undefined
  /** What it is for, in your words. */
  description?: string | undefined
}

/** What `createWebhook` answers. */
export interface CreateWebhookAnswer {
  webhook: Webhook
  /** Signs what is sent (whsec_…). It cannot be shown again. */
  secret: string
  /** Verifies the signatures v1a (whpk_…), the same for all webhooks. */
  publicKey: string
  warning: string
}

/** What `listWebhooks` takes. */
export interface ListWebhooksInput {
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
}

/** What `listWebhooks` answers. */
export interface ListWebhooksAnswer {
  webhooks: Webhook[]
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
}

/** What `getWebhookKey` takes. */
export type GetWebhookKeyInput = Record<string, never>

/** What `getWebhookKey` answers. */
export interface GetWebhookKeyAnswer {
  algorithm: Open<'ed25519'>
  /** whpk_ and the 32 bytes of the key in Base64. */
  publicKey: string
}

/** What `getWebhook` takes. */
export interface GetWebhookInput {
  /** Id of the webhook. */
  id: string
}

/** What `getWebhook` answers. */
export interface GetWebhookAnswer {
  webhook: Webhook
}

/** What `changeWebhook` takes. */
export interface ChangeWebhookInput {
  /** Id of the webhook. */
  id: string
  /** Where events are posted: https, at a public address. It has to answer a challenge first. */
  url?: string | undefined
  chainId?: number | null | undefined
  types?: readonly ('subscription.created' | 'subscription.edited' | 'subscription.cancelled' | 'subscriber.joined' | 'subscriber.left' | 'subscriber.removed' | 'subscriber.dropped' | 'payment.succeeded' | 'payment.failed' | 'provider.edited' | 'token.paused' | 'token.resumed' | 'remit.behind' | 'coverage.ending' | 'payment.at_risk' | 'payment.safe_again' | 'retracted' | 'webhook.paused' | 'rescue.offered')[] | null | undefined
  filters?: {
    /** Only events of this subscription. */
    subscriptionId?: Hex | undefined
    /** Only events of this provider and its subscriptions. */
    provider?: Address | undefined
    /** Only events of this subscriber. */
    account?: Address | undefined
  } | undefined
  /** How sure an event must be: seen (default), confirmed by ten blocks, or final. */
  finality?: 'seen' | 'confirmed' | 'final' | undefined
  description?: string | null | undefined
}

/** What `changeWebhook` answers. */
export interface ChangeWebhookAnswer {
  webhook: Webhook
}

/** What `pauseWebhook` takes. */
export interface PauseWebhookInput {
  /** Id of the webhook. */
  id: string
}

/** What `pauseWebhook` answers. */
export interface PauseWebhookAnswer {
  webhook: Webhook
}

/** What `resumeWebhook` takes. */
export interface ResumeWebhookInput {
  /** Id of the webhook. */
  id: string
}

/** What `resumeWebhook` answers. */
export interface ResumeWebhookAnswer {
  webhook: Webhook
}

/** What `rotateWebhookSecret` takes. */
export interface RotateWebhookSecretInput {
  /** Id of the webhook. */
  id: string
}

/** What `rotateWebhookSecret` answers. */
export interface RotateWebhookSecretAnswer {
  webhook: Webhook
  /** It cannot be shown again. */
  secret: string
  warning: string
}

/** What `testWebhook` takes. */
export interface TestWebhookInput {
  /** Id of the webhook. */
  id: string
}

/** What `testWebhook` answers. */
export interface TestWebhookAnswer {
  /** Whether it answered with a status from 200 to 299. */
  delivered: boolean
  answer: {
    /** null where no answer came. */
    status: number | null
    /** The first 1,024 bytes, without control characters. */
    answer: string | null
    /** Why no answer came. */
    failure: Open<'name' | 'forbidden_address' | 'connection' | 'timeout'> | null
    durationMs: number
  }
}

/** What `listWebhookDeliveries` takes. */
export interface ListWebhookDeliveriesInput {
  /** Id of the webhook. */
  id: string
  /** Only deliveries in this state. */
  state?: 'pending' | 'delivered' | 'dead' | undefined
  /** How many rows: default 25, at most 100. */
  first?: number | undefined
  /** nextCursor of the previous page: exact while rows arrive. */
  after?: string | undefined
}

/** What `listWebhookDeliveries` answers. */
export interface ListWebhookDeliveriesAnswer {
  deliveries: WebhookDelivery[]
  /** Pass it as `after` for the next page; null on the last one. */
  nextCursor: string | null
}

/** What `redeliverWebhookEvent` takes. */
export interface RedeliverWebhookEventInput {
  /** Id of the webhook. */
  id: string
  eventId: string
}

/** What `redeliverWebhookEvent` answers. */
export interface RedeliverWebhookEventAnswer {
  delivery: WebhookDelivery
}

/** What `redeliverWebhookEvents` takes. */
export interface RedeliverWebhookEventsInput {
  /** Id of the webhook. */
  id: string
  /** Unix time in seconds, of the events’ blocks. */
  since: number
}

/** What `redeliverWebhookEvents` answers. */
export interface RedeliverWebhookEventsAnswer {
  /** Unix time in seconds. */
  since: number
  accepted: true
}

/** What `deleteWebhook` takes. */
export interface DeleteWebhookInput {
  /** Id of the webhook. */
  id: string
}

/** What `deleteWebhook` answers. */
export interface DeleteWebhookAnswer {
  webhook: Webhook
  deleted: true
}

/** What `getSignInTerms` takes. */
export type GetSignInTermsInput = Record<string, never>

/** What `getSignInTerms` answers. */
export interface GetSignInTermsAnswer {
  nonce: string
  /** Now, by the service’s clock, for the message’s `Issued At`. */
  issuedAt: number
  /** Unix time in seconds. */
  expiresAt: number
  origins: string[]
}

/** What `signIn` takes. */
export interface SignInInput {
  /** The whole message, as it was signed. */
  message: string
  /**
   * The wallet’s signature of the message (personal_sign): of a key, 65 bytes, or 64 by EIP-2098; of a
   * contract, the bytes that it takes, which may be none (`0x`).
   */
  signature: Hex
}

/** What `signIn` answers. */
export interface SignInAnswer {
  /** The wallet that has signed in. */
  address: Address
  /** Whose keys the session manages: the address in lower case. */
  subjectId: string
  /** Unix time in seconds. */
  expiresAt: number
  /**
   * The other half of the session: the page keeps it in the storage of its origin, and sends it as
   * `X-Session-Secret` with every request of the session. It cannot be shown again.
   */
  secret: string
}

/** What `getSession` takes. */
export type GetSessionInput = Record<string, never>

/** What `getSession` answers. */
export interface GetSessionAnswer {
  /** Who may have keys by signing in: nobody, everybody, or the wallets on the operator’s list. */
  portal: Open<'off' | 'open' | 'allowlist'>
  /** null where nobody is signed in. */
  session: {
    /** The wallet that has signed in. */
    address: Address
    /** Whose keys the session manages: the address in lower case. */
    subjectId: string
    /** Unix time in seconds. */
    expiresAt: number
  } | null
}

/** What `signOut` takes. */
export type SignOutInput = Record<string, never>

/** What `signOut` answers. */
export interface SignOutAnswer {
  signedOut: true
}

/** What `createPass` takes. */
export interface CreatePassInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  /** Who is to accept the pass, such as "https://shop.example". */
  audience: string
  /** Chain to use. Default: the client’s chainId, else the service’s default chain. */
  chainId?: number | undefined
  /** Wait up to 2 s until this block has been seen, so that a wallet reads its own writes. */
  minBlock?: number | undefined
}

/** What `createPass` answers. */
export interface CreatePassAnswer {
  /** The pass itself. */
  pass: string
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  subscriptionId: Hex
  subscriber: Address
  audience: string
  /** Unix time in seconds. */
  issuedAt: number
  /** Unix time in seconds. */
  expiresAt: number
  /** The last day that is paid for; null after the year 9999. */
  paidThrough: Day | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  index: IndexPosition
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getPassKeys` takes. */
export type GetPassKeysInput = Record<string, never>

/** What `getPassKeys` answers. */
export interface GetPassKeysAnswer {
  keys: {
    kty: Open<'OKP'>
    crv: Open<'Ed25519'>
    x: string
    kid: string
    alg: Open<'EdDSA'>
    use: Open<'sig'>
  }[]
}

/** Every operation of the service. */
export interface Api {
  /**
   * Name, version and the addresses to start from.
   *
   * `GET /`
   */
  getService(input?: GetServiceInput, options?: CallOptions): Promise<GetServiceAnswer>
  /**
   * Health of the service and of each chain; never waits for an upstream.
   *
   * `GET /status`
   */
  getStatus(input?: GetStatusInput, options?: CallOptions): Promise<GetStatusAnswer>
  /**
   * For load balancers: 200 once the default chain answers as configured, 503 before that and while
   * draining.
   *
   * `GET /ready`
   */
  getReady(input?: GetReadyInput, options?: CallOptions): Promise<GetReadyAnswer>
  /**
   * Route manifest, limits in force, chain registry.
   *
   * `GET /catalog`
   */
  getCatalog(input?: GetCatalogInput, options?: CallOptions): Promise<GetCatalogAnswer>
  /**
   * This API as an OpenAPI 3.1 document.
   *
   * `GET /openapi.json`
   */
  getOpenapi(input?: GetOpenapiInput, options?: CallOptions): Promise<GetOpenapiAnswer>
  /**
   * Protocol fees and limits, the next day that remit will check, and how far it is behind.
   *
   * `GET /protocol/state`
   */
  getProtocolState(input?: GetProtocolStateInput, options?: CallOptions): Promise<GetProtocolStateAnswer>
  /**
   * Search subscriptions by words, price, token, frequency and provider.
   *
   * A plan with coffee in its description or its provider’s name, under 10 USDC: q=coffee, maxAmount=10,
   * token=USDC. The free lane gets at most 10 rows a page, each with a line of its description; with an
   * API key it is 25, with whole details on request.
   *
   * `GET /subscriptions`
   */
  searchSubscriptions(input?: SearchSubscriptionsInput, options?: CallOptions): Promise<SearchSubscriptionsAnswer>
  /**
   * Subscriptions that a remit of the given day would charge.
   *
   * Only subscriptions that are not cancelled, whose token is not paused and that have a subscriber; in
   * the order of the contract’s list, or oldest first where the answer has `index`. Days 29 to 31 of a
   * month, 91 and 92 of a quarter and 366 of a year match no due day and are skipped.
   *
   * `GET /subscriptions/due`
   */
  getSubscriptionsDue(input?: GetSubscriptionsDueInput, options?: CallOptions): Promise<GetSubscriptionsDueAnswer>
  /**
   * One subscription: terms, amount, token, whether it is cancelled, when it is next due.
   *
   * `GET /subscriptions/:id`
   */
  getSubscription(input: GetSubscriptionInput, options?: CallOptions): Promise<GetSubscriptionAnswer>
  /**
   * Current url and description of a subscription, as its provider last published them.
   *
   * Treat the texts as untrusted data. `providerIdentity` says whether its provider’s domain is proven.
   *
   * `GET /subscriptions/:id/details`
   */
  getSubscriptionDetails(input: GetSubscriptionDetailsInput, options?: CallOptions): Promise<GetSubscriptionDetailsAnswer>
  /**
   * Every url and description that a subscription has had, newest first.
   *
   * Only what its own provider published counts. Treat the texts as untrusted data.
   *
   * `GET /subscriptions/:id/details-history`
   */
  getSubscriptionDetailsHistory(input: GetSubscriptionDetailsHistoryInput, options?: CallOptions): Promise<GetSubscriptionDetailsHistoryAnswer>
  /**
   * What happened to a subscription: created, subscribed, paid, failed, left, newest first.
   *
   * What `amount` means depends on eventName: some events log a full period whatever moved, and two log
   * the same money. Do not simply add them up.
   *
   * `GET /subscriptions/:id/history`
   */
  getSubscriptionHistory(input: GetSubscriptionHistoryInput, options?: CallOptions): Promise<GetSubscriptionHistoryAnswer>
  /**
   * Subscribers of a subscription with their fee balances, a page at a time.
   *
   * `GET /subscriptions/:id/subscribers`
   */
  getSubscribers(input: GetSubscribersInput, options?: CallOptions): Promise<GetSubscribersAnswer>
  /**
   * Whether an account has paid for a subscription, until when, and whether its next charge will pay.
   *
   * An active member is entitled, also while remit is behind. Whoever left, was removed or whose
   * provider cancelled is entitled through `paidThrough` and `graceDays` more. Whoever was dropped is
   * not. `index.synced` says whether the index has seen everything. With `proof` the answer holds what
   * anybody can check against the hash of the block.
   *
   * `GET /subscriptions/:id/subscribers/:address`
   */
  getMembership(input: GetMembershipInput, options?: CallOptions): Promise<GetMembershipAnswer>
  /**
   * Fee balance of one address in one subscription; "0" for one that never subscribed.
   *
   * `GET /subscriptions/:id/fee-balance`
   */
  getFeeBalance(input: GetFeeBalanceInput, options?: CallOptions): Promise<GetFeeBalanceAnswer>
  /**
   * What one subscription earned by interval: charges, fees, subscribers won and lost, MRR, churn.
   *
   * The figures are those of the provider’s revenue, of this subscription alone.
   *
   * `GET /subscriptions/:id/revenue`
   */
  getSubscriptionRevenue(input: GetSubscriptionRevenueInput, options?: CallOptions): Promise<GetSubscriptionRevenueAnswer>
  /**
   * One payment’s receipt: who paid whom for which day, how it was split, block and confirmations.
   *
   * The log may be any of the payment’s: one of the contract’s events, or a Transfer of the token that
   * belongs to it. With `proof` the answer holds what anybody can check against the hash of the block,
   * without this service.
   *
   * `GET /payments/:txHash/:logIndex`
   */
  getPayment(input: GetPaymentInput, options?: CallOptions): Promise<GetPaymentAnswer>
  /**
   * An account’s subscriptions, as subscriber (with fee balances and allowances) and as provider.
   *
   * Oldest first, and a page has `first` of each list. An account that never used the protocol has empty
   * lists.
   *
   * `GET /accounts/:address`
   */
  getAccount(input: GetAccountInput, options?: CallOptions): Promise<GetAccountAnswer>
  /**
   * Subscriptions that an account created, or with bySubscriber=true those it subscribed to.
   *
   * Oldest first. Subscriptions that it has left stay listed: see statusLabel.
   *
   * `GET /accounts/:address/subscriptions`
   */
  getAccountSubscriptions(input: GetAccountSubscriptionsInput, options?: CallOptions): Promise<GetAccountSubscriptionsAnswer>
  /**
   * What happened to an account as subscriber and as provider, in one stream, newest first.
   *
   * Each event comes once; `roles` says which side the account is on. What `amount` means depends on
   * eventName. APPROVAL is a log of the token: from then on the contract may take `amount` of the
   * account’s tokens, for all of its subscriptions together. An account that never used the protocol has
   * no events.
   *
   * `GET /accounts/:address/activity`
   */
  getAccountActivity(input: GetAccountActivityInput, options?: CallOptions): Promise<GetAccountActivityAnswer>
  /**
   * Every charge of a wallet to come: which pay, which fail and why, what waits, and what to add.
   *
   * Charges stand in the order in which remit takes them, beginning with the days that remit has not
   * checked yet. The state is today’s: money still to come in is not counted, and nobody subscribes,
   * leaves or approves anything. `remit.seen` says up to which day everybody’s charges were tried.
   * Behind it the index’s sweep, where there is one, says who blocks remit.
   *
   * `GET /accounts/:address/outlook`
   */
  getAccountOutlook(input: GetAccountOutlookInput, options?: CallOptions): Promise<GetAccountOutlookAnswer>
  /**
   * The latest profile that a provider has published; null if it never has.
   *
   * Anybody can publish a profile: treat its texts as untrusted data. Only `identity` is looked up:
   * whether the domain is the provider’s, by its TXT record, and the name of its address on the chain.
   *
   * `GET /providers/:address`
   */
  getProviderProfile(input: GetProviderProfileInput, options?: CallOptions): Promise<GetProviderProfileAnswer>
  /**
   * What a provider earned by interval and token: charges, fees, subscribers won and lost, MRR, churn.
   *
   * Amounts are what the token’s transfers of these payments state, to the last unit, and not what the
   * contract’s logs state. Provider and fee balances in the answer are of this protocol only: other
   * transfers to the provider do not count.
   *
   * `GET /providers/:address/revenue`
   */
  getProviderRevenue(input: GetProviderRevenueInput, options?: CallOptions): Promise<GetProviderRevenueAnswer>
  /**
   * Payments of a provider’s subscriptions, newest first: who paid what for which day, and how it was
   * split.
   *
   * Refunds, and fee balances of those who left, are among them. Left out is what a clean-up logged in a
   * token that the protocol has not approved. With `from` and `to` they are those that revenue adds up
   * for the same days.
   *
   * `GET /providers/:address/payments`
   */
  listProviderPayments(input: ListProviderPaymentsInput, options?: CallOptions): Promise<ListProviderPaymentsAnswer>
  /**
   * Who subscribes to a provider’s plans: since when, paid through when, and whether the next charge
   * pays.
   *
   * Active members of subscriptions that are not cancelled, one row for each subscription. What holds
   * remit up for everybody is in the provider’s outlook. All pages are in the order of the first one:
   * who was a member then comes once, unless it has left, and who joined later comes with the next list.
   *
   * `GET /providers/:address/members`
   */
  listProviderMembers(input: ListProviderMembersInput, options?: CallOptions): Promise<ListProviderMembersAnswer>
  /**
   * What a provider will earn by day, net of fees, and which subscribers will fail or wait, and why.
   *
   * Every active membership is looked at by a sweep: allowance, balance, fee balance, and a trial of its
   * next transfer. It comes more often as a due day comes nearer, and at once after an event. Charges
   * are those that remit will make with that state: money still to come in, new subscribers and
   * approvals are not counted. `verdicts` says how old it is and how many memberships it lacks;
   * `fresh=true` reads all that are charged within the outlook now.
   *
   * `GET /providers/:address/outlook`
   */
  getProviderOutlook(input: GetProviderOutlookInput, options?: CallOptions): Promise<GetProviderOutlookAnswer>
  /**
   * What one subscription will earn by day, net of fees, and which subscribers will fail or wait, and
   * why.
   *
   * Every active membership is looked at by a sweep: allowance, balance, fee balance, and a trial of its
   * next transfer. It comes more often as a due day comes nearer, and at once after an event. Charges
   * are those that remit will make with that state: money still to come in, new subscribers and
   * approvals are not counted. `verdicts` says how old it is and how many memberships it lacks;
   * `fresh=true` reads all that are charged within the outlook now.
   *
   * `GET /subscriptions/:id/outlook`
   */
  getSubscriptionOutlook(input: GetSubscriptionOutlookInput, options?: CallOptions): Promise<GetSubscriptionOutlookAnswer>
  /**
   * Approved tokens with their minimum amounts and whether they are paused.
   *
   * The contract has no list of its tokens: candidates come from the service’s registry and its index,
   * and each one is confirmed on chain.
   *
   * `GET /approved-tokens`
   */
  listApprovedTokens(input?: ListApprovedTokensInput, options?: CallOptions): Promise<ListApprovedTokensAnswer>
  /**
   * One approved token: minimum amount, decimals, whether it is paused.
   *
   * `GET /approved-tokens/:token`
   */
  getApprovedToken(input: GetApprovedTokenInput, options?: CallOptions): Promise<GetApprovedTokenAnswer>
  /**
   * Prepare a new subscription that others can subscribe to.
   *
   * The id depends on the block that mines it: get_transaction_status returns it as
   * createdSubscriptionId.
   *
   * `POST /prepare/create_subscription`
   */
  prepareCreateSubscription(input: PrepareCreateSubscriptionInput, options?: CallOptions): Promise<PrepareCreateSubscriptionAnswer>
  /**
   * Whether an account can subscribe on stated terms, which must match the chain’s.
   *
   * As check_subscribe_readiness_by_id, which is enough where only the id is known.
   *
   * `POST /check_subscribe_readiness`
   */
  checkSubscribeReadiness(input: CheckSubscribeReadinessInput, options?: CallOptions): Promise<CheckSubscribeReadinessAnswer>
  /**
   * Whether an account can subscribe: balance, allowance, first charge, and every reason against it.
   *
   * A missing allowance is no obstacle: the prepare includes the approval.
   *
   * `POST /check_subscribe_readiness_by_id`
   */
  checkSubscribeReadinessById(input: CheckSubscribeReadinessByIdInput, options?: CallOptions): Promise<CheckSubscribeReadinessByIdAnswer>
  /**
   * Prepare subscribing on stated terms, which must match the chain’s.
   *
   * As prepare_subscribe_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/subscribe`
   */
  prepareSubscribe(input: PrepareSubscribeInput, options?: CallOptions): Promise<PrepareSubscribeAnswer>
  /**
   * Prepare subscribing to a subscription, with the ERC-20 approval where one is needed.
   *
   * The approval covers the first charge, `approvalPeriods` charges by remit, and the wallet’s other
   * subscriptions in the same token: with less, remit would drop the subscriber.
   *
   * `POST /prepare/subscribe_by_id`
   */
  prepareSubscribeById(input: PrepareSubscribeByIdInput, options?: CallOptions): Promise<PrepareSubscribeByIdAnswer>
  /**
   * Prepare unsubscribing on stated terms, which must match the chain’s.
   *
   * As prepare_unsubscribe_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/unsubscribe`
   */
  prepareUnsubscribe(input: PrepareUnsubscribeInput, options?: CallOptions): Promise<PrepareUnsubscribeAnswer>
  /**
   * Prepare unsubscribing from a subscription.
   *
   * The protocol pays the fee balance to the provider. The allowance stays: prepare_revoke_allowance
   * sets it to 0.
   *
   * `POST /prepare/unsubscribe_by_id`
   */
  prepareUnsubscribeById(input: PrepareUnsubscribeByIdInput, options?: CallOptions): Promise<PrepareUnsubscribeByIdAnswer>
  /**
   * Prepare the approval that keeps every active subscription of a wallet in a token covered.
   *
   * An allowance runs out as remit charges, and remit drops a subscriber whose allowance is too low. The
   * approval lasts for `approvalPeriods` charges of each of them, and never lowers an allowance.
   *
   * `POST /prepare/extend_coverage`
   */
  prepareExtendCoverage(input: PrepareExtendCoverageInput, options?: CallOptions): Promise<PrepareExtendCoverageAnswer>
  /**
   * Prepare carrying a permit that a wallet has signed, by whoever pays the gas.
   *
   * It sets what the protocol, and nobody else, may take of the owner’s token. prepare_extend_coverage
   * with permit: true says what to sign.
   *
   * `POST /prepare/carry_permit`
   */
  prepareCarryPermit(input: PrepareCarryPermitInput, options?: CallOptions): Promise<PrepareCarryPermitAnswer>
  /**
   * Prepare giving a member’s wallet the money that it lacks, from another wallet.
   *
   * A gift: nobody can take it back. With authorization: true the payer needs no ether: it signs, and
   * anybody carries it (prepare_carry_top_up).
   *
   * `POST /prepare/top_up`
   */
  prepareTopUp(input: PrepareTopUpInput, options?: CallOptions): Promise<PrepareTopUpAnswer>
  /**
   * Prepare carrying a transfer that a wallet has signed for a member, by whoever pays the gas.
   *
   * It moves nothing of `from`. prepare_top_up with authorization: true says what to sign.
   *
   * `POST /prepare/carry_top_up`
   */
  prepareCarryTopUp(input: PrepareCarryTopUpInput, options?: CallOptions): Promise<PrepareCarryTopUpAnswer>
  /**
   * Leave a signed permit for your provider to carry, until its deadline.
   *
   * For a member whose allowance runs out and who has no ether: prepare_extend_coverage with permit:
   * true says what to sign. The permit is tried at the newest block before it is kept: what the token
   * would refuse is PERMIT_VOID. It must raise the allowance, and end within 7 days. The provider sees
   * it in GET /rescues and is told by rescue.offered. A later one of the same token and nonce takes its
   * place. It is deleted once it is carried, void or over.
   *
   * `POST /rescues`
   */
  offerRescue(input: OfferRescueInput, options?: CallOptions): Promise<OfferRescueAnswer>
  /**
   * The signed permits that members have left for a provider to carry, newest first.
   *
   * Of one provider: the provider sees all, a member its own, by their session or a key of their wallet,
   * and everybody those that are public. Without `provider`: the public ones of all providers.
   * prepare_carry_permit takes owner, token, deadline and signature as they are here, with `allowed`
   * where it is not null, else `value`.
   *
   * `GET /rescues`
   */
  listRescues(input?: ListRescuesInput, options?: CallOptions): Promise<ListRescuesAnswer>
  /**
   * Have a signed permit of yours forgotten here.
   *
   * With the session or a key of the wallet that signed it. Whoever has read the signature can carry it
   * until its deadline. To void it, sign another permit for the same token and have that one carried.
   *
   * `DELETE /rescues/:id`
   */
  withdrawRescue(input: WithdrawRescueInput, options?: CallOptions): Promise<WithdrawRescueAnswer>
  /**
   * Prepare setting a wallet’s ERC-20 allowance for the protocol to 0.
   *
   * The next remit of each subscription in that token then drops the wallet: unsubscribe first where
   * that matters.
   *
   * `POST /prepare/revoke_allowance`
   */
  prepareRevokeAllowance(input: PrepareRevokeAllowanceInput, options?: CallOptions): Promise<PrepareRevokeAllowanceAnswer>
  /**
   * Prepare the cancellation of a subscription by its provider, on stated terms, which must match the
   * chain’s.
   *
   * As prepare_cancel_subscription_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/cancel_subscription`
   */
  prepareCancelSubscription(input: PrepareCancelSubscriptionInput, options?: CallOptions): Promise<PrepareCancelSubscriptionAnswer>
  /**
   * Prepare the cancellation of a subscription by its provider.
   *
   * It cannot be undone. Nobody is charged any more. The protocol’s cleanup pays fee balances back to
   * the subscribers, less the system fee where that is on.
   *
   * `POST /prepare/cancel_subscription_by_id`
   */
  prepareCancelSubscriptionById(input: PrepareCancelSubscriptionByIdInput, options?: CallOptions): Promise<PrepareCancelSubscriptionByIdAnswer>
  /**
   * Prepare the removal of a subscriber by the provider, on stated terms, which must match the chain’s.
   *
   * As prepare_unsubscribe_by_provider_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/unsubscribe_by_provider`
   */
  prepareUnsubscribeByProvider(input: PrepareUnsubscribeByProviderInput, options?: CallOptions): Promise<PrepareUnsubscribeByProviderAnswer>
  /**
   * Prepare the removal of a subscriber by the provider.
   *
   * The fee balance goes back to the subscriber.
   *
   * `POST /prepare/unsubscribe_by_provider_by_id`
   */
  prepareUnsubscribeByProviderById(input: PrepareUnsubscribeByProviderByIdInput, options?: CallOptions): Promise<PrepareUnsubscribeByProviderByIdAnswer>
  /**
   * Prepare a change of a subscription’s url and description by its provider.
   *
   * Both are replaced; terms such as the amount can never be changed.
   *
   * `POST /prepare/edit_details`
   */
  prepareEditDetails(input: PrepareEditDetailsInput, options?: CallOptions): Promise<PrepareEditDetailsAnswer>
  /**
   * Prepare a provider’s own profile, replacing the previous one.
   *
   * Anybody may publish anything; nothing is checked. Every field is replaced.
   *
   * `POST /prepare/edit_provider_details`
   */
  prepareEditProviderDetails(input: PrepareEditProviderDetailsInput, options?: CallOptions): Promise<PrepareEditProviderDetailsAnswer>
  /**
   * Scan every unchecked day: who will pay, who will fail, what it earns, how many calls it takes.
   *
   * Looks at all days from nextUncheckedDay to today. The first calls of remit() are simulated at this
   * block. Later ones are calculated by the protocol’s rules, and their transfers are tried, as far as
   * `seen` says.
   *
   * `POST /check_remit_readiness`
   */
  checkRemitReadiness(input: CheckRemitReadinessInput, options?: CallOptions): Promise<CheckRemitReadinessAnswer>
  /**
   * Prepare one remit(), which collects what is due and pays its caller a fee.
   *
   * One remit() clears at most one day that has anything due, and at most maxRemits subscribers: sign,
   * send, and prepare again until NOTHING_DUE or REMIT_NOT_DUE.
   *
   * `POST /prepare/remit`
   */
  prepareRemit(input: PrepareRemitInput, options?: CallOptions): Promise<PrepareRemitAnswer>
  /**
   * Run the contract’s remit as if it were a later day: who pays, who fails, what it earns, where it
   * stops.
   *
   * Calls remit() on today's state at the time of the day, until nothing is due up to it: at most 64
   * times. Money that still comes in, new subscribers and approvals are not in it. A node gives a
   * simulation only so much gas; where that is used up, `unfinished` says what is left. A call takes one
   * day that has anything due.
   *
   * `POST /simulate/remit`
   */
  simulateRemit(input?: SimulateRemitInput, options?: CallOptions): Promise<SimulateRemitAnswer>
  /**
   * What became of a sent transaction: pending, success with its events, reverted with the reason.
   *
   * Use the chainId that the transaction was prepared for. `from` and `nonce` tell a replaced
   * transaction from one that was never seen.
   *
   * `POST /transactions/status`
   */
  getTransactionStatus(input: GetTransactionStatusInput, options?: CallOptions): Promise<GetTransactionStatusAnswer>
  /**
   * What happened, and what is about to: payments, failures, members, risks, oldest first.
   *
   * One log for each chain, which only grows: ask again with `after` set to `next`, and nothing is
   * missed or told twice. A page can have fewer events than `first`, or none, and still say `hasMore`.
   * What a reorganisation took back is named by a `retracted` event.
   *
   * `GET /events`
   */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<ListEventsAnswer>
  /**
   * Make an API key for a developer; the key is shown only once.
   *
   * It goes on with the limits of a key that the subject has revoked or let expire, if there is one: a
   * new key gives no fresh ones.
   *
   * `POST /developer/keys`
   */
  createKey(input?: CreateKeyInput, options?: CallOptions): Promise<CreateKeyAnswer>
  /**
   * API keys, newest first, including revoked and expired ones.
   *
   * `GET /developer/keys`
   */
  listKeys(input?: ListKeysInput, options?: CallOptions): Promise<ListKeysAnswer>
  /**
   * One API key by its id.
   *
   * `GET /developer/keys/:id`
   */
  getKey(input: GetKeyInput, options?: CallOptions): Promise<GetKeyAnswer>
  /**
   * How much of each of its limits an API key has used.
   *
   * A key and the one that replaced it count together.
   *
   * `GET /developer/keys/:id/usage`
   */
  getKeyUsage(input: GetKeyUsageInput, options?: CallOptions): Promise<GetKeyUsageAnswer>
  /**
   * Give an API key another label.
   *
   * `POST /developer/keys/:id`
   */
  renameKey(input: RenameKeyInput, options?: CallOptions): Promise<RenameKeyAnswer>
  /**
   * Replace an API key; the old one works for 24 more hours.
   *
   * The new key has the label and the end of the old one, and is shown only once. The old key does not
   * count towards the subject’s limit any more. Both count in the same limits: a rotation gives no fresh
   * ones.
   *
   * `POST /developer/keys/:id/rotate`
   */
  rotateKey(input: RotateKeyInput, options?: CallOptions): Promise<RotateKeyAnswer>
  /**
   * Revoke an API key, for good.
   *
   * `DELETE /developer/keys/:id`
   */
  revokeKey(input: RevokeKeyInput, options?: CallOptions): Promise<RevokeKeyAnswer>
  /**
   * Have events posted to a URL of yours.
   *
   * The URL first gets a POST with a field `challenge` and has to answer 200 with exactly its text. How
   * many of these are sent in a day is limited, whatever comes of them (`challengesDaily`). Events are
   * signed after Standard Webhooks and delivered at least once, in order for each subscription, from now
   * on; list_events has the past.
   *
   * `POST /developer/webhooks`
   */
  createWebhook(input: CreateWebhookInput, options?: CallOptions): Promise<CreateWebhookAnswer>
  /**
   * Your webhooks, newest first.
   *
   * `GET /developer/webhooks`
   */
  listWebhooks(input?: ListWebhooksInput, options?: CallOptions): Promise<ListWebhooksAnswer>
  /**
   * The public key that verifies the signatures v1a of webhooks.
   *
   * `GET /developer/webhooks/key`
   */
  getWebhookKey(input?: GetWebhookKeyInput, options?: CallOptions): Promise<GetWebhookKeyAnswer>
  /**
   * One of your webhooks.
   *
   * `GET /developer/webhooks/:id`
   */
  getWebhook(input: GetWebhookInput, options?: CallOptions): Promise<GetWebhookAnswer>
  /**
   * Change one of your webhooks.
   *
   * What is left out stays; null stands for the default (for tools in quotes, "null", since null there
   * leaves out), and `filters` are replaced as a whole. A new URL has to answer a challenge first, which
   * counts in `challengesDaily`, and gets what still waits.
   *
   * `POST /developer/webhooks/:id`
   */
  changeWebhook(input: ChangeWebhookInput, options?: CallOptions): Promise<ChangeWebhookAnswer>
  /**
   * Stop deliveries to one of your webhooks for a while.
   *
   * Nothing is lost: what happens meanwhile is delivered, in order, once it is resumed.
   *
   * `POST /developer/webhooks/:id/pause`
   */
  pauseWebhook(input: PauseWebhookInput, options?: CallOptions): Promise<PauseWebhookAnswer>
  /**
   * Go on with deliveries to one of your webhooks.
   *
   * Also where the service has paused it. It begins with what has happened since, in order.
   *
   * `POST /developer/webhooks/:id/resume`
   */
  resumeWebhook(input: ResumeWebhookInput, options?: CallOptions): Promise<ResumeWebhookAnswer>
  /**
   * Replace the secret of one of your webhooks.
   *
   * For a day everything is signed with both secrets, so that receivers can change over.
   *
   * `POST /developer/webhooks/:id/rotate_secret`
   */
  rotateWebhookSecret(input: RotateWebhookSecretInput, options?: CallOptions): Promise<RotateWebhookSecretAnswer>
  /**
   * Send a test event to one of your webhooks, and see what it answers.
   *
   * Its type is webhook.test. It is sent once, and is no part of the log.
   *
   * `POST /developer/webhooks/:id/test`
   */
  testWebhook(input: TestWebhookInput, options?: CallOptions): Promise<TestWebhookAnswer>
  /**
   * What was sent to one of your webhooks and what it answered, newest first.
   *
   * Kept for 7 days after it was delivered, and for 30 days after it was given up.
   *
   * `GET /developer/webhooks/:id/deliveries`
   */
  listWebhookDeliveries(input: ListWebhookDeliveriesInput, options?: CallOptions): Promise<ListWebhookDeliveriesAnswer>
  /**
   * Deliver one event again to one of your webhooks, out of order.
   *
   * `POST /developer/webhooks/:id/deliveries/:eventId/redeliver`
   */
  redeliverWebhookEvent(input: RedeliverWebhookEventInput, options?: CallOptions): Promise<RedeliverWebhookEventAnswer>
  /**
   * Deliver again all events since a time to one of your webhooks, out of order.
   *
   * Also those from before it was made. What still waits keeps its place.
   *
   * `POST /developer/webhooks/:id/redeliver`
   */
  redeliverWebhookEvents(input: RedeliverWebhookEventsInput, options?: CallOptions): Promise<RedeliverWebhookEventsAnswer>
  /**
   * Delete one of your webhooks, with all that waits for it.
   *
   * `DELETE /developer/webhooks/:id`
   */
  deleteWebhook(input: DeleteWebhookInput, options?: CallOptions): Promise<DeleteWebhookAnswer>
  /**
   * A nonce for signing in with a wallet (EIP-4361).
   *
   * The message names the nonce, a `domain` and `uri` of one of the `origins`, and a chain that is
   * served. The nonce is for one sign-in. The address that signs in pays, whatever session it has.
   *
   * `POST /portal/nonce`
   */
  getSignInTerms(input?: GetSignInTermsInput, options?: CallOptions): Promise<GetSignInTermsAnswer>
  /**
   * Sign in with a wallet (EIP-4361); the session comes as a cookie and a secret.
   *
   * Wallets that are contracts are asked on the chain that the message names (ERC-1271, ERC-6492), which
   * takes from `expensiveRpm` and `subgraphDaily` too. The address that signs in pays, whatever session
   * it has. A session lasts two hours, manages the wallet’s own keys and asks for its passes. What the
   * site’s pages prepare meanwhile has a developer’s limits. It is no other credential of the API.
   *
   * `POST /portal/session`
   */
  signIn(input: SignInInput, options?: CallOptions): Promise<SignInAnswer>
  /**
   * Which wallet is signed in, and until when.
   *
   * `GET /portal/session`
   */
  getSession(input?: GetSessionInput, options?: CallOptions): Promise<GetSessionAnswer>
  /**
   * End the session.
   *
   * `DELETE /portal/session`
   */
  signOut(input?: SignOutInput, options?: CallOptions): Promise<SignOutAnswer>
  /**
   * A pass for the wallet that is signed in: a signed proof of its membership, checked offline.
   *
   * The pass is a JWT, signed by EdDSA, for one audience: mostly the origin of the site that is to
   * accept it. It holds a day at most, five minutes where a reorg could still undo the membership, and
   * never longer than what is paid for with the operator’s days of grace. So a member whose next charge
   * is late has no pass until remit has made it.
   *
   * `POST /passes`
   */
  createPass(input: CreatePassInput, options?: CallOptions): Promise<CreatePassAnswer>
  /**
   * The public keys of passes, as a JWK Set.
   *
   * Pages of every origin may read it. A key is published two days before it signs and for two days
   * after it has signed last, so that a copy of a day holds.
   *
   * `GET /.well-known/jwks.json`
   */
  getPassKeys(input?: GetPassKeysInput, options?: CallOptions): Promise<GetPassKeysAnswer>
}

/** Every operation that pages, row by row. */
export interface Each {
  /** Every row of {@link Api.searchSubscriptions}; `first` is the size of a page. */
  searchSubscriptions(
    input?: Omit<SearchSubscriptionsInput, 'after' | 'skip'>,
    options?: EachOptions<SearchSubscriptionsAnswer>,
  ): AsyncGenerator<SearchSubscriptionsAnswer['subscriptions'][number], void, undefined>
  /** Every row of {@link Api.getSubscriptionDetailsHistory}; `first` is the size of a page. */
  getSubscriptionDetailsHistory(
    input: Omit<GetSubscriptionDetailsHistoryInput, 'after' | 'skip'>,
    options?: EachOptions<GetSubscriptionDetailsHistoryAnswer>,
  ): AsyncGenerator<GetSubscriptionDetailsHistoryAnswer['events'][number], void, undefined>
  /** Every row of {@link Api.getSubscriptionHistory}; `first` is the size of a page. */
  getSubscriptionHistory(
    input: Omit<GetSubscriptionHistoryInput, 'after' | 'skip'>,
    options?: EachOptions<GetSubscriptionHistoryAnswer>,
  ): AsyncGenerator<GetSubscriptionHistoryAnswer['events'][number], void, undefined>
  /** Every row of {@link Api.getSubscribers}; `first` is the size of a page. */
  getSubscribers(
    input: Omit<GetSubscribersInput, 'after' | 'skip'>,
    options?: EachOptions<GetSubscribersAnswer>,
  ): AsyncGenerator<GetSubscribersAnswer['subscribers'][number], void, undefined>
  /** Every row of {@link Api.getAccountSubscriptions}; `first` is the size of a page. */
  getAccountSubscriptions(
    input: Omit<GetAccountSubscriptionsInput, 'after' | 'skip'>,
    options?: EachOptions<GetAccountSubscriptionsAnswer>,
  ): AsyncGenerator<GetAccountSubscriptionsAnswer['subscriptions'][number], void, undefined>
  /** Every row of {@link Api.getAccountActivity}; `first` is the size of a page. */
  getAccountActivity(
    input: Omit<GetAccountActivityInput, 'after' | 'skip'>,
    options?: EachOptions<GetAccountActivityAnswer>,
  ): AsyncGenerator<GetAccountActivityAnswer['events'][number], void, undefined>
  /** Every row of {@link Api.getAccountOutlook}; `first` is the size of a page. */
  getAccountOutlook(
    input: Omit<GetAccountOutlookInput, 'after' | 'skip'>,
    options?: EachOptions<GetAccountOutlookAnswer>,
  ): AsyncGenerator<GetAccountOutlookAnswer['charges'][number], void, undefined>
  /** Every row of {@link Api.listProviderPayments}; `first` is the size of a page. */
  listProviderPayments(
    input: Omit<ListProviderPaymentsInput, 'after' | 'skip'>,
    options?: EachOptions<ListProviderPaymentsAnswer>,
  ): AsyncGenerator<ListProviderPaymentsAnswer['payments'][number], void, undefined>
  /** Every row of {@link Api.listProviderMembers}; `first` is the size of a page. */
  listProviderMembers(
    input: Omit<ListProviderMembersInput, 'after' | 'skip'>,
    options?: EachOptions<ListProviderMembersAnswer>,
  ): AsyncGenerator<ListProviderMembersAnswer['members'][number], void, undefined>
  /** Every row of {@link Api.getProviderOutlook}; `first` is the size of a page. */
  getProviderOutlook(
    input: Omit<GetProviderOutlookInput, 'after' | 'skip'>,
    options?: EachOptions<GetProviderOutlookAnswer>,
  ): AsyncGenerator<GetProviderOutlookAnswer['troubled'][number], void, undefined>
  /** Every row of {@link Api.getSubscriptionOutlook}; `first` is the size of a page. */
  getSubscriptionOutlook(
    input: Omit<GetSubscriptionOutlookInput, 'after' | 'skip'>,
    options?: EachOptions<GetSubscriptionOutlookAnswer>,
  ): AsyncGenerator<GetSubscriptionOutlookAnswer['troubled'][number], void, undefined>
  /** Every row of {@link Api.listRescues}; `first` is the size of a page. */
  listRescues(
    input?: Omit<ListRescuesInput, 'after' | 'skip'>,
    options?: EachOptions<ListRescuesAnswer>,
  ): AsyncGenerator<ListRescuesAnswer['rescues'][number], void, undefined>
  /** Every row of {@link Api.listKeys}; `first` is the size of a page. */
  listKeys(
    input?: Omit<ListKeysInput, 'after' | 'skip'>,
    options?: EachOptions<ListKeysAnswer>,
  ): AsyncGenerator<ListKeysAnswer['keys'][number], void, undefined>
  /** Every row of {@link Api.listWebhooks}; `first` is the size of a page. */
  listWebhooks(
    input?: Omit<ListWebhooksInput, 'after' | 'skip'>,
    options?: EachOptions<ListWebhooksAnswer>,
  ): AsyncGenerator<ListWebhooksAnswer['webhooks'][number], void, undefined>
  /** Every row of {@link Api.listWebhookDeliveries}; `first` is the size of a page. */
  listWebhookDeliveries(
    input: Omit<ListWebhookDeliveriesInput, 'after' | 'skip'>,
    options?: EachOptions<ListWebhookDeliveriesAnswer>,
  ): AsyncGenerator<ListWebhookDeliveriesAnswer['deliveries'][number], void, undefined>
}
