// Generated from src/operations by client/generate/main.ts. Do not edit.
import type { Address, Hex } from 'viem'
import type { CallOptions, EachOptions } from '../call/CallOptions.ts'

/** One of the values that are known, or one that a newer service has beside them. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

export interface AccountSubscription {
  subscription: Subscription
  /** 0 active, 1 cancelled, 2 unsubscribed. */
  status: 0 | 1 | 2
  statusLabel: Open<'ACTIVE' | 'CANCELLED' | 'UNSUBSCRIBED'>
  /**
   * As the contract counts: accounts that are leaving while remit is at their page included. Where the
   * answer has `index`: those who subscribe now.
   */
  totalSubscribers: number
}

export interface AllowanceCovers {
  /** Charges by remit that the allowance still pays for. */
  periods: number
  /** The day of the last of them; null where it does not pay for one. */
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
  /** Least amount of a subscription, exact, in human units. */
  minimum: string
  /** The same in the token's smallest unit, rounded up to a whole one. */
  minimumRaw: bigint
  /** While paused nobody can create or subscribe, and remit passes it over. */
  paused: boolean
}

export interface AsOf {
  blockNumber: number
  /** Block hash: 32 bytes as 0x-prefixed hex. */
  blockHash: Hex
  /** Unix time in seconds. */
  timestamp: number
}

export interface Chain {
  /** EIP-155 chain id. */
  chainId: number
  /** The same as CAIP-2: eip155:<id>. */
  caip2: string
  name: string
  /** Protocol routes may name it. */
  rest: boolean
  /** Tools may name it. */
  mcp: boolean
  /** Used where no chainId is given. */
  default: boolean
}

export interface Covers {
  /** Charges by remit that are paid; null without end. */
  periods: number | null
  /** The due day of the last of them; null where not one is paid, and without end. */
  until: Day | null
  /** What the first charge that fails lacks: balance where it lacks both. null without end. */
  limitedBy: Open<'allowance' | 'balance'> | null
  /** The due day of the charge that fails: remit then drops the subscriber for good. null without end. */
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
  /** The preflight’s expectedTransactions, each reckoned as dear as this one. */
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
   * What happened. What `amount` states differs by it. Created: The price of one full period. Nothing
   * moved. Cancelled: Always 0. Nothing moved. ProviderPaid: What was paid to the provider. Failed:
   * Always 0: a due payment could not be taken, and the subscriber was dropped. ProviderRefunded: What
   * the provider got of a fee balance when its subscriber left or was dropped; 0 where it was empty.
   * SubscriberPaid: The full period taken from the subscriber: the same money as the ProviderPaid that
   * follows it. Subscribed: The price of one full period. What was charged at once is in the FeeFilled
   * and ProviderPaid beside it. Unsubscribed: The price of one full period. Nothing moved. FeeFilled:
   * Beside a Subscribed, what went into the fee balance; in a remit, the full period, of which a
   * ProviderPaid beside it states the part that went to the provider. SubscriberRefunded: The price of
   * one full period, whatever was refunded: what moved is in the token transfer beside it.
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
  /** The chain head’s timestamp less the index’s. */
  lagSeconds: number
  /** Whether it is at the head, but for blocks that are on their way. */
  synced: boolean
}

/** One failing field or precondition, with facts beside its code. */
export interface Issue {
  code?: PreconditionCode
  path?: string
  message: string
  [fact: string]: unknown
}

/** What stands against a write on chain. */
export type PreconditionCode = Open<'SUBSCRIPTION_CANCELLED' | 'TOKEN_PAUSED' | 'TOKEN_NOT_APPROVED' | 'TOKEN_DECIMALS_MISMATCH' | 'AMOUNT_BELOW_MINIMUM' | 'AMOUNT_UNPAYABLE' | 'OWN_SUBSCRIPTION' | 'ALREADY_SUBSCRIBED' | 'NOT_SUBSCRIBED' | 'NOT_PROVIDER' | 'ALREADY_CANCELLED' | 'INSUFFICIENT_BALANCE' | 'SUBSCRIPTION_PAGING' | 'REMIT_NOT_DUE' | 'NOTHING_DUE' | 'REMIT_STALLED' | 'REMIT_BLOCKED_BY_TRANSFER' | 'TRANSACTION_GAS_CAP' | 'NOTHING_TO_REVOKE'>

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
    /** Counted once for each of their subscriptions. */
    subscribers: number
    willPay: number
    /** Dropped by this remit: allowance or balance below a full period. */
    willFail: number
    /** Calls of remit() that the day takes. */
    transactions: number
    /**
     * tried: its calls were tried at this block, by calling remit() or by each of their transfers.
     * reckoned: by the protocol’s rules alone. blocked: no call gets past this day, and an issue or a
     * warning says why; what is counted is what goes through before.
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
    /** Which of the two is short, the allowance where both are; null where it cannot be told. */
    reason: Open<'allowance' | 'balance'> | null
  }[]
  /**
   * Calls of remit() until the backlog is cleared, or until the day that is blocked. With the warning
   * FORECAST_CUT those behind `seen.calls` are reckoned; where its reason is unknown, it is the least.
   */
  expectedTransactions: number
  /** How far the forecast has seen. */
  seen: {
    /** Of expectedTransactions, how many were tried at this block, from the first on. */
    calls: number
    /**
     * The last day up to which everything was tried: today where nothing is left untried, the day before
     * the one that is blocked, null where not even the first unchecked day was tried whole.
     */
    through: Day | null
  }
  maxRemits: number
  /** What all of them together pay their caller, after the system’s part where that is on. */
  callerFees: TokenQuantity[]
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
    /** One full period: the contract refuses with less. */
    contractRequired: Quantity
    /**
     * What lasts for approvalPeriods charges, shared subscriptions included; with keepCoverage also what
     * keeps the dates of the others.
     */
    needed: Quantity
    /** What the allowance is after these transactions. */
    proposed: Quantity
    coversUntil: Day | null
    /** Other subscriptions that draw on the same allowance. */
    sharedWith: Hex[]
  }
  balance: Quantity
  /** What subscribing takes at once, and where it goes. */
  firstCharge: {
    toFeeBalance: Quantity
    toProvider: Quantity
  }
  nextDue: Day | null
  /**
   * How far the wallet carries it, by today’s balance and the allowance after these transactions, beside
   * its other subscriptions in the token and after the first charge; null where the provider has
   * cancelled it.
   */
  covers: Covers | null
  /** The wallet’s other subscriptions in the token that are carried less far, or farther, afterwards. */
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
   * How far the wallet carries it, by today’s balance and the allowance after these transactions, beside
   * its other subscriptions in the token and after the first charge; null where the provider has
   * cancelled it.
   */
  covers: Covers | null
  /** The wallet’s other subscriptions in the token that are carried less far, or farther, afterwards. */
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
  /** The first due day from today on that remit has not checked; null once it is cancelled. */
  nextDue: Day | null
  /** Due days before today that remit has not checked yet: the oldest, 12 at most. */
  overdue: Day[]
  /** How many there are in all. */
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

export interface TokenQuantity {
  token: Token
  /** Exact human amount: no exponent, no trailing zeros. */
  amount: string
  /** The same amount in the token's smallest unit. */
  amountRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
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
export type WarningCode = Open<'BACKLOG_CHARGE' | 'FORECAST_CUT' | 'REMIT_STALLED' | 'REMIT_BLOCKED_BY_TRANSFER' | 'TRANSACTION_GAS_CAP' | 'BALANCE_SHORT' | 'SHORTENS_COVERAGE' | 'DAY_ENDS_SOON' | 'ALLOWANCE_REMAINS' | 'INSUFFICIENT_GAS_FUNDS' | 'REMIT_NEEDS_MORE_TRANSACTIONS' | 'SIMULATION_PARTIAL' | 'GAS_HEURISTIC' | 'ESTIMATE_ADDRESS_REVERTS' | 'TOKEN_DECIMALS_MISMATCH'>

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
  lane: Open<'free' | 'developer'>
  chains: {
    /** EIP-155 chain id. */
    chainId: number
    rpc: {
      ok: boolean
      blockNumber: number | null
      latencyMs: number | null
    }
    /**
     * What the operator must mend before the chain is served, naming the variable; null where nothing is
     * known to be wrong.
     */
    misconfigured: string | null
    /** null for a chain that is read without an index. */
    index: {
      source: Open<'rpc' | 'subgraph'>
      /** Whether it can be read and is being kept up. */
      ok: boolean
      /** Where it stands; null before it has begun. */
      blockNumber: number | null
      lagSeconds: number | null
      /** At the head, but for the few blocks that are on their way. */
      synced: boolean
      /** How far the reading of the chain’s past has come; null where it is not being read. */
      backfill: {
        fromBlock: number
        toBlock: number
        /** The last block that has been read. */
        blockNumber: number
        percent: number
        blocksPerSecond: number
        secondsLeft: number | null
      } | null
      /** What is wrong, for the operator; null where nothing is. */
      alarm: string | null
    } | null
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
        /** The values in force; null where the lane is not metered or not there. */
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
        /** The values in force; null where the lane is not metered or not there. */
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
  /** What the caller of remit earns, in percent of each payment: 2 is 2 %. The figure to show. */
  callerFeePercent: number
  /** The system’s part of the caller’s fee, in percent, where it is on. The figure to show. */
  systemFeePercent: number
  /**
   * The same as callerFeePercent, as the contract holds it: 10000 plus hundredths of a percent, so that
   * 10200 is 2 %. No amount: calculate with it as the contract does, amount × callerFee / 10000 −
   * amount.
   */
  callerFee: bigint
  /**
   * The same as systemFeePercent, as the contract holds it: 10000 plus hundredths of a percent. No
   * amount.
   */
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
  /** Only those of this provider. */
  provider?: Address | undefined
  /** Only those in this token. */
  token?: Address | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency?: 0 | 1 | 2 | 3 | undefined
  /** true: only cancelled ones; false (default): only live ones. */
  cancelled?: boolean | undefined
  /** Whether rows come with url and description. */
  includeDetails?: boolean | undefined
  /** How many rows: default 10, at most 25. */
  first?: number | undefined
  /** How many rows to pass over. Not together with `after`. */
  skip?: number | undefined
  /** The nextCursor of the page before: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out what is newer than this block. Give it the index.blockNumber of the first page to make
   * `skip` exact.
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
    /** The first due day from today on that remit has not checked; null once it is cancelled. */
    nextDue: Day | null
    /** Due days before today that remit has not checked yet: the oldest, 12 at most. */
    overdue: Day[]
    /** How many there are in all. */
    overdueCount: number
    /** Unix time in seconds. */
    createdAt: number
    /** The same moment in ISO 8601, UTC. */
    formattedCreatedAt: Date
    /** With includeDetails: what the provider last published, the data of a stranger. */
    details?: {
      url: string
      description: string
    } | null
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Give it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** What was searched for; null where anything is. */
  filters: {
    provider: Address | null
    token: Address | null
    frequency: 0 | 1 | 2 | 3 | null
    cancelled: boolean
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
    skipped: false
    subscriptionIds: Hex[]
  } | {
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    frequencyLabel: Open<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'>
    dueDay: number
    skipped: true
    /** Why nothing of this frequency can be due on such a day. */
    skipReason: string
    subscriptionIds: Hex[]
  })[]
  /** Only where there is something to mind. */
  warnings?: Warning[]
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
  /** null where the index knows of none yet. */
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
  /** How many rows to pass over. Not together with `after`. */
  skip?: number | undefined
  /** The nextCursor of the page before: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out what is newer than this block. Give it the index.blockNumber of the first page to make
   * `skip` exact.
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
  /** Give it as `after` for the next page; null on the last one. */
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
  /** How many rows to pass over. Not together with `after`. */
  skip?: number | undefined
  /** The nextCursor of the page before: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out what is newer than this block. Give it the index.blockNumber of the first page to make
   * `skip` exact.
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
  /** Give it as `after` for the next page; null on the last one. */
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
  /** How many rows to pass over. Not together with `after`. */
  skip?: number | undefined
  /** The nextCursor of the page before. */
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
  subscribers: {
    subscriber: Address
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** `feeBalance.amountRaw` once more. */
    feeBalanceRaw: bigint
    /** Decimals that the contract uses for the token: the contract's own entry. */
    tokenDecimals: number
  }[]
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Give it as `after` for the next page; null on the last one. */
  nextCursor: string | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** Only where the contract’s own view could not be read. */
  index?: IndexPosition
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
  /** What the contract holds of this subscriber for the callers of remit. */
  feeBalance: Quantity
  /** `feeBalance.amountRaw` once more. */
  feeBalanceRaw: bigint
  /** Decimals that the contract uses for the token: the contract's own entry. */
  tokenDecimals: number
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `getAccount` takes. */
export interface GetAccountInput {
  /** The account. */
  address: Address
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
     * As the contract counts: accounts that are leaving while remit is at their page included. Where the
     * answer has `index`: those who subscribe now.
     */
    totalSubscribers: number
    feeBalance: Quantity
    /**
     * How far the wallet carries this subscription, by balance and allowance, beside its others in the
     * same token. Money that may come in is not counted. null where nothing is charged any more.
     */
    covers: Covers | null
    /**
     * How far the allowance alone carries it; null where it has no end, or where nothing is charged any
     * more.
     */
    allowanceCovers: AllowanceCovers | null
  }[]
  created: AccountSubscription[]
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
  /** How many rows to pass over. Not together with `after`. */
  skip?: number | undefined
  /** The nextCursor of the page before: exact while rows arrive. */
  after?: string | undefined
  /**
   * Leave out what is newer than this block. Give it the index.blockNumber of the first page to make
   * `skip` exact.
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
  events: {
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
     * What happened. What `amount` states differs by it. Created: The price of one full period. Nothing
     * moved. Cancelled: Always 0. Nothing moved. ProviderPaid: What was paid to the provider. Failed:
     * Always 0: a due payment could not be taken, and the subscriber was dropped. ProviderRefunded: What
     * the provider got of a fee balance when its subscriber left or was dropped; 0 where it was empty.
     * SubscriberPaid: The full period taken from the subscriber: the same money as the ProviderPaid that
     * follows it. Subscribed: The price of one full period. What was charged at once is in the FeeFilled
     * and ProviderPaid beside it. Unsubscribed: The price of one full period. Nothing moved. FeeFilled:
     * Beside a Subscribed, what went into the fee balance; in a remit, the full period, of which a
     * ProviderPaid beside it states the part that went to the provider. SubscriberRefunded: The price of
     * one full period, whatever was refunded: what moved is in the token transfer beside it.
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
    /** What the account is in this event. */
    roles: (Open<'subscriber' | 'provider'>)[]
  }[]
  breakdown: {
    /** Events of its whole history. */
    asSubscriber: number
    /** Events of its whole history. */
    asProvider: number
  }
  /** Rows in this page. */
  count: number
  hasMore: boolean
  /** Give it as `after` for the next page; null on the last one. */
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
  /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
  dueDay: number
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
    /** The first due day from today on that remit has not checked. */
    nextDue: Day | null
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    amount: Quantity | null
    minimum: Quantity | null
    /** The first due day from today on that remit has not checked. */
    nextDue: Day | null
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `checkSubscribeReadiness` takes. */
export interface CheckSubscribeReadinessInput {
  /** The terms as the caller knows them: all are held against the chain’s, and none is taken over. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Left out, it is not compared. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
    dueDay: number
  }
  /** Who would subscribe. */
  from: Address
  /** true: approve the most that there is (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** For how many charges of this subscription the allowance is to last. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve as much as leaves every other subscription of the wallet in the token the day until
   * which the allowance pays for it now, up to a hundred years ahead. Not together with
   * infiniteApproval.
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
  /** Every precondition that fails; empty where it is ready. */
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
  /** true: approve the most that there is (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** For how many charges of this subscription the allowance is to last. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve as much as leaves every other subscription of the wallet in the token the day until
   * which the allowance pays for it now, up to a hundred years ahead. Not together with
   * infiniteApproval.
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
  /** Every precondition that fails; empty where it is ready. */
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
  /** The terms as the caller knows them: all are held against the chain’s, and none is taken over. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Left out, it is not compared. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
    dueDay: number
  }
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** true: approve the most that there is (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** For how many charges of this subscription the allowance is to last. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve as much as leaves every other subscription of the wallet in the token the day until
   * which the allowance pays for it now, up to a hundred years ahead. Not together with
   * infiniteApproval.
   */
  keepCoverage?: boolean | undefined
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
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** true: approve the most that there is (2^256 - 1) instead of what the periods need. */
  infiniteApproval?: boolean | undefined
  /** For how many charges of this subscription the allowance is to last. Default 12. */
  approvalPeriods?: number | undefined
  /**
   * true: approve as much as leaves every other subscription of the wallet in the token the day until
   * which the allowance pays for it now, up to a hundred years ahead. Not together with
   * infiniteApproval.
   */
  keepCoverage?: boolean | undefined
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
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more. */
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
  /** The terms as the caller knows them: all are held against the chain’s, and none is taken over. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Left out, it is not compared. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
    dueDay: number
  }
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on unsubscribing that is the provider. */
    feeBalanceTo: Address
    /** What the protocol may go on taking of the wallet’s token. */
    allowance: Quantity
    /** Other active subscriptions that are paid from that allowance. */
    sharedWith: Hex[]
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on unsubscribing that is the provider. */
    feeBalanceTo: Address
    /** What the protocol may go on taking of the wallet’s token. */
    allowance: Quantity
    /** Other active subscriptions that are paid from that allowance. */
    sharedWith: Hex[]
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareUnsubscribeById` takes. */
export interface PrepareUnsubscribeByIdInput {
  /** Subscription id: 32 bytes as 0x-prefixed hex. */
  id: Hex
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on unsubscribing that is the provider. */
    feeBalanceTo: Address
    /** What the protocol may go on taking of the wallet’s token. */
    allowance: Quantity
    /** Other active subscriptions that are paid from that allowance. */
    sharedWith: Hex[]
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on unsubscribing that is the provider. */
    feeBalanceTo: Address
    /** What the protocol may go on taking of the wallet’s token. */
    allowance: Quantity
    /** Other active subscriptions that are paid from that allowance. */
    sharedWith: Hex[]
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareRevokeAllowance` takes. */
export interface PrepareRevokeAllowanceInput {
  /** The ERC-20 contract, one of the approved tokens. */
  token: Address
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  keepCoverage?: false | undefined
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
  unsignedTransactions?: UnsignedTransaction[]
  /** raw for one transaction, eip5792 for more. */
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
    /** Active subscriptions paid from it: without it, the next remit of each drops the wallet. */
    sharedWith: Hex[]
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    /** null where the protocol has not approved it. */
    token: Token | null
    /** What the protocol may take of the wallet now. */
    allowance: Quantity | null
    balance: Quantity | null
    /** Active subscriptions paid from it: without it, the next remit of each drops the wallet. */
    sharedWith: Hex[]
  }
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `prepareCancelSubscription` takes. */
export interface PrepareCancelSubscriptionInput {
  /** The terms as the caller knows them: all are held against the chain’s, and none is taken over. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Left out, it is not compared. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
    dueDay: number
  }
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
  /** The terms as the caller knows them: all are held against the chain’s, and none is taken over. */
  subscription: {
    /** Subscription id: 32 bytes as 0x-prefixed hex. */
    id: Hex
    /** One period’s price in human units of the token, such as "10". */
    amount: string
    provider: Address
    /** The ERC-20 contract. */
    token: Address
    /** Left out, it is not compared. */
    cancelled?: boolean | undefined
    /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
    frequency: 0 | 1 | 2 | 3
    /** Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365: nothing is shifted. */
    dueDay: number
  }
  /** Who is to be removed. */
  subscriber: Address
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on removal that is the subscriber. */
    feeBalanceTo: Address
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on removal that is the subscriber. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on removal that is the subscriber. */
    feeBalanceTo: Address
  }
  /** With readinessOnly. */
  ready?: boolean
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: {
    subscription: Subscription
    subscriber: Address
    /** What the contract holds of this subscriber for the callers of remit. */
    feeBalance: Quantity
    /** Who gets it: on removal that is the subscriber. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
  /** Every precondition that fails; empty where it is ready. */
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
  /** Who will sign and send. Every proof runs from this address. */
  from: Address
  /** true: tell only whether it can be done; no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined
  /** Estimate gas from this address, where another wallet broadcasts than the one that signs. */
  simulateFromAddress?: Address | undefined
  /** Only subscribing approves anything; here it can be false at most. */
  infiniteApproval?: false | undefined
  /** Only subscribing approves anything; here it can be false at most. */
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
  /** raw for one transaction, eip5792 for more. */
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
  /** With readinessOnly: every precondition that fails. */
  issues?: Issue[]
  /** With readinessOnly. */
  details?: RemitReadiness
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
  /** It has a receipt. */
  confirmed: boolean
  confirmations: number
  finalized: boolean
  blockNumber: number | null
  gasUsed: bigint | null
  events: TransactionEvent[]
  /** The id that a create made. */
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
  /** replay: from running it again on the parent block, without what stood before it in its own. */
  reasonSource: Open<'replay'> | null
  /** Only where there is something to mind. */
  warnings?: Warning[]
  /** EIP-155 chain id. */
  chainId: number
  asOf: AsOf
}

/** What `createKey` takes. */
export interface CreateKeyInput {
  /** Whose key it is, in your own words: 1 to 200 characters. */
  subjectId: string
  /** What the key is for: at most 100 characters. */
  label?: string | undefined
  /** Unix time in seconds from which on the key is refused. Default: never. */
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
  /** The nextCursor of the page before: exact while rows arrive. */
  after?: string | undefined
}

/** What `listKeys` answers. */
export interface ListKeysAnswer {
  keys: ApiKey[]
  /** Give it as `after` for the next page; null on the last one. */
  nextCursor: string | null
}

/** What `getKey` takes. */
export interface GetKeyInput {
  /** Id of the key, which is not the key. */
  id: string
}

/** What `getKey` answers. */
export interface GetKeyAnswer {
  key: ApiKey
}

/** What `revokeKey` takes. */
export interface RevokeKeyInput {
  /** Id of the key, which is not the key. */
  id: string
}

/** What `revokeKey` answers. */
export interface RevokeKeyAnswer {
  key: ApiKey
  revoked: true
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
   * Search subscriptions by provider, token, frequency and whether they are cancelled, newest first.
   *
   * The free lane gets at most 10 rows a page and no details; with an API key it is 25, and details
   * where they are asked for.
   *
   * `GET /subscriptions`
   */
  searchSubscriptions(input?: SearchSubscriptionsInput, options?: CallOptions): Promise<SearchSubscriptionsAnswer>
  /**
   * Subscriptions that a remit of the given day would charge.
   *
   * Only subscriptions that are not cancelled, whose token is not paused and that have a subscriber.
   * Days 29 to 31 of a month, 91 and 92 of a quarter and 366 of a year match no due day and are skipped.
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
   * The texts are data of a stranger, and nothing of them is verified.
   *
   * `GET /subscriptions/:id/details`
   */
  getSubscriptionDetails(input: GetSubscriptionDetailsInput, options?: CallOptions): Promise<GetSubscriptionDetailsAnswer>
  /**
   * Every url and description that a subscription has had, newest first.
   *
   * Only what its own provider published counts. The texts are data of a stranger.
   *
   * `GET /subscriptions/:id/details-history`
   */
  getSubscriptionDetailsHistory(input: GetSubscriptionDetailsHistoryInput, options?: CallOptions): Promise<GetSubscriptionDetailsHistoryAnswer>
  /**
   * What happened to a subscription: created, subscribed, paid, failed, left, newest first.
   *
   * What `amount` states differs by eventName: some events log a full period whatever moved, and two log
   * the same money. Do not add them up without reading that.
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
   * Fee balance of one address in one subscription; "0" for one that never subscribed.
   *
   * `GET /subscriptions/:id/fee-balance`
   */
  getFeeBalance(input: GetFeeBalanceInput, options?: CallOptions): Promise<GetFeeBalanceAnswer>
  /**
   * An account’s subscriptions, as subscriber (with fee balances and allowances) and as provider.
   *
   * An account that never used the protocol has empty lists.
   *
   * `GET /accounts/:address`
   */
  getAccount(input: GetAccountInput, options?: CallOptions): Promise<GetAccountAnswer>
  /**
   * Subscriptions that an account created, or with bySubscriber=true those it subscribed to.
   *
   * The contract keeps what an account left for good: look at statusLabel.
   *
   * `GET /accounts/:address/subscriptions`
   */
  getAccountSubscriptions(input: GetAccountSubscriptionsInput, options?: CallOptions): Promise<GetAccountSubscriptionsAnswer>
  /**
   * What happened to an account as subscriber and as provider, in one stream, newest first.
   *
   * Each event comes once and says in `roles` which side of it the account is on. What `amount` states
   * differs by eventName. An account that never used the protocol has no events.
   *
   * `GET /accounts/:address/activity`
   */
  getAccountActivity(input: GetAccountActivityInput, options?: CallOptions): Promise<GetAccountActivityAnswer>
  /**
   * The latest profile that a provider has published of itself; null where it never has.
   *
   * Anybody can publish anything: its texts are data of a stranger, and nothing of it is verified.
   *
   * `GET /providers/:address`
   */
  getProviderProfile(input: GetProviderProfileInput, options?: CallOptions): Promise<GetProviderProfileAnswer>
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
   * The id depends on the block that mines it: POST /transactions/status answers it as
   * createdSubscriptionId.
   *
   * `POST /prepare/create_subscription`
   */
  prepareCreateSubscription(input: PrepareCreateSubscriptionInput, options?: CallOptions): Promise<PrepareCreateSubscriptionAnswer>
  /**
   * Whether an account can subscribe on stated terms, which must be the chain’s.
   *
   * As check_subscribe_readiness_by_id, which is enough where only the id is known.
   *
   * `POST /check_subscribe_readiness`
   */
  checkSubscribeReadiness(input: CheckSubscribeReadinessInput, options?: CallOptions): Promise<CheckSubscribeReadinessAnswer>
  /**
   * Whether an account can subscribe: balance, allowance, first charge, and every reason against it.
   *
   * A missing allowance is no reason against it: the prepare brings the approval along.
   *
   * `POST /check_subscribe_readiness_by_id`
   */
  checkSubscribeReadinessById(input: CheckSubscribeReadinessByIdInput, options?: CallOptions): Promise<CheckSubscribeReadinessByIdAnswer>
  /**
   * Prepare subscribing on stated terms, which must be the chain’s.
   *
   * As prepare_subscribe_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/subscribe`
   */
  prepareSubscribe(input: PrepareSubscribeInput, options?: CallOptions): Promise<PrepareSubscribeAnswer>
  /**
   * Prepare subscribing to a subscription, with the ERC-20 approval where one is needed.
   *
   * The approval covers the first charge and `approvalPeriods` charges by remit, beside every other
   * subscription of the wallet in the same token: with less, remit would drop the subscriber.
   *
   * `POST /prepare/subscribe_by_id`
   */
  prepareSubscribeById(input: PrepareSubscribeByIdInput, options?: CallOptions): Promise<PrepareSubscribeByIdAnswer>
  /**
   * Prepare a subscriber’s leaving of a subscription, on stated terms, which must be the chain’s.
   *
   * As prepare_unsubscribe_by_id, which is enough where only the id is known.
   *
   * `POST /prepare/unsubscribe`
   */
  prepareUnsubscribe(input: PrepareUnsubscribeInput, options?: CallOptions): Promise<PrepareUnsubscribeAnswer>
  /**
   * Prepare a subscriber’s leaving of a subscription.
   *
   * The fee balance goes to the provider, as the protocol has it. What is left of the allowance stays:
   * prepare_revoke_allowance ends it.
   *
   * `POST /prepare/unsubscribe_by_id`
   */
  prepareUnsubscribeById(input: PrepareUnsubscribeByIdInput, options?: CallOptions): Promise<PrepareUnsubscribeByIdAnswer>
  /**
   * Prepare taking back a wallet’s ERC-20 allowance for the protocol, down to 0.
   *
   * Whatever the wallet still subscribes to in that token is dropped by the next remit that charges it:
   * unsubscribe first where that matters.
   *
   * `POST /prepare/revoke_allowance`
   */
  prepareRevokeAllowance(input: PrepareRevokeAllowanceInput, options?: CallOptions): Promise<PrepareRevokeAllowanceAnswer>
  /**
   * Prepare the cancellation of a subscription by its provider, on stated terms, which must be the
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
   * It cannot be undone. Nobody is charged any more; fee balances go back to the subscribers, less the
   * system fee where that is on, when the protocol cleans up.
   *
   * `POST /prepare/cancel_subscription_by_id`
   */
  prepareCancelSubscriptionById(input: PrepareCancelSubscriptionByIdInput, options?: CallOptions): Promise<PrepareCancelSubscriptionByIdAnswer>
  /**
   * Prepare the removal of a subscriber by the provider, on stated terms, which must be the chain’s.
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
   * Prepare a provider’s own profile, replacing the one before.
   *
   * Anybody may say anything of itself; nothing of it is checked. Every field is replaced.
   *
   * `POST /prepare/edit_provider_details`
   */
  prepareEditProviderDetails(input: PrepareEditProviderDetailsInput, options?: CallOptions): Promise<PrepareEditProviderDetailsAnswer>
  /**
   * Scan every unchecked day: who will pay, who will fail, what it earns, how many remit() it takes.
   *
   * Looks at all days from nextUncheckedDay to today. The first calls of remit() are simulated at this
   * block. What lies behind them is reckoned by the protocol’s rules, and each of its transfers is
   * tried, as far as `seen` says.
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
   * What became of a sent transaction: pending, success with its events, reverted with the reason.
   *
   * Use the chainId that the transaction was prepared for. `from` and `nonce` let a replaced transaction
   * be told from one that was never seen.
   *
   * `POST /transactions/status`
   */
  getTransactionStatus(input: GetTransactionStatusInput, options?: CallOptions): Promise<GetTransactionStatusAnswer>
  /**
   * Make an API key for a developer; the key is shown this once.
   *
   * `POST /developer/keys`
   */
  createKey(input: CreateKeyInput, options?: CallOptions): Promise<CreateKeyAnswer>
  /**
   * API keys, newest first, revoked and expired ones too.
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
   * Revoke an API key, for good.
   *
   * `DELETE /developer/keys/:id`
   */
  revokeKey(input: RevokeKeyInput, options?: CallOptions): Promise<RevokeKeyAnswer>
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
  /** Every row of {@link Api.getAccountActivity}; `first` is the size of a page. */
  getAccountActivity(
    input: Omit<GetAccountActivityInput, 'after' | 'skip'>,
    options?: EachOptions<GetAccountActivityAnswer>,
  ): AsyncGenerator<GetAccountActivityAnswer['events'][number], void, undefined>
  /** Every row of {@link Api.listKeys}; `first` is the size of a page. */
  listKeys(
    input?: Omit<ListKeysInput, 'after' | 'skip'>,
    options?: EachOptions<ListKeysAnswer>,
  ): AsyncGenerator<ListKeysAnswer['keys'][number], void, undefined>
}
