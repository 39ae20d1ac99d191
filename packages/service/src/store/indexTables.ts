import type { Generated, GeneratedAlways } from 'kysely'

// The tables of the index: what is read from a chain's blocks. `tables.ts` says how values are written. Words: the "sweep" is the loop that
// reads members' money anew; a "verdict" is what it and the events say of a membership's charges to come (`engine/ports/verdicts.ts`);
// the "order version" numbers the states of the order of members' lists (`memberPlaces.ts`): `placings` is the newest one.

/** One row for each chain: which chain it is, the block that its index has reached, and who may write it. */
export interface IndexChainsTable {
  chain_id: number
  /** INDEX_LAYOUT of the release that began the index. */
  layout: number
  genesis_hash: string
  contract: string
  first_block: number
  /** What the rows are read from: `rpc` or `subgraph`. */
  source: string
  /** Grows by one each time the lease, the right to write the index, is taken. A commit with an older epoch fails. */
  epoch: number
  /** The process that has the lease, or had it last: `Leases.ts`. */
  holder: string | null
  /** Unix milliseconds of the store's clock. */
  lease_until: number
  /** The last block that is indexed. */
  block_number: number
  block_hash: string
  block_parent_hash: string
  block_timestamp: number
  finalized_block: number
  /** The newest sequence of the event log. It outlives the rows of the index. */
  log_sequence: number
  /** A sentence for the operator while something is wrong that further indexing does not repair. */
  alarm: string | null
  /** The approvals of blocks after this one are not all known yet; `null` where all are. */
  approvals_read_to: number | null
  /** Grows by one with each provider that is looked up: a row of `provider_checks` is written. */
  providers_checked: Generated<number>
  /** The newest order version of members' lists: it grows with each change that may move a member in them. */
  placings: Generated<number>
}

/** Block hashes by number: of every block that is not final, and of fewer and fewer older ones. */
export interface IndexBlocksTable {
  chain_id: number
  number: number
  hash: string
  parent_hash: string
  timestamp: number
}

/** Blocks that were reorganised away. A cursor of one of them is stale. */
export interface LostBlocksTable {
  chain_id: number
  number: number
  hash: string
}

interface LogColumns {
  chain_id: number
  block_number: number
  log_index: number
  transaction_hash: string
  /** Unix seconds: the time of its block. */
  timestamp: number
}

/** The contract's events about subscriptions (SubLog), one row each. */
export interface EventsTable extends LogColumns {
  subscription_id: string
  /** The contract's number, 0 to 9. */
  event: number
  provider: string
  subscriber: string | null
  token: string
  amount: string
}

/** Approval logs with the contract as spender, of the tokens that subscriptions were created in. */
export interface ApprovalsTable extends LogColumns {
  owner: string
  token: string
  /** The allowance that stands then. Raw units. */
  amount: string
}

/**
 * In which blocks the approvals of a token are known: in those up to `read_to`, and in those above `live_from`, from which on they are read
 * with everything else. If there is a gap between the two, `PastApprovals.ts` reads it.
 */
export interface ApprovalTokensTable {
  chain_id: number
  token: string
  read_to: number
  live_from: number
}

export interface DetailsLogsTable extends LogColumns {
  subscription_id: string
  provider: string
  url: string
  description: string
}

export interface ProfileLogsTable extends LogColumns {
  provider: string
  description: string
  company: string
  url: string
  domain: string
  email: string
  misc: string
}

export interface SubscriptionsTable {
  chain_id: number
  id: string
  provider: string
  token: string
  amount: string
  frequency: number
  due_day: number
  created_at: number
  created_block: number
  created_log_index: number
  transaction_hash: string
  cancelled: number
  /** The block of its first cancellation; `null` if there is none. */
  cancelled_block: number | null
  /** The amount behind its number of digits: text in the order of amounts. */
  amount_order: GeneratedAlways<string>
  /** How many accounts are subscribed now. */
  subscribers: Generated<number>
}

/** The words by which a subscription is found, or a provider by its name. */
export interface SearchTextsTable {
  /** In the order in which rows were first written. */
  number: Generated<number>
  chain_id: number
  /** A subscription's id, or a provider's address. */
  subject: string
  /** The words of its text, then marker words (`searchWords.ts`), with spaces between. */
  words: string
}

/** The accounts that have ever subscribed, with their present status. */
export interface MembershipsTable {
  chain_id: number
  subscription_id: string
  subscriber: string
  /** The contract’s number: 0 active, 1 cancelled by the cleanup, 2 unsubscribed. */
  status: number
  /** The log of its first subscribing. */
  first_block: number
  first_log_index: number
}

/** How many events name an account, as subscriber and as provider. Kept here because counting them for each answer would be slow. */
export interface AccountCountsTable {
  chain_id: number
  account: string
  as_subscriber: number
  as_provider: number
}

/** How many subscriptions were ever created in a token. */
export interface TokenCountsTable {
  chain_id: number
  token: string
  subscriptions: number
}

/** The live memberships with their verdicts. Columns from `block_number` to `missing_balance` are `null` until the money is read. */
export interface VerdictsTable {
  chain_id: number
  subscriber: string
  subscription_id: string
  provider: string
  token: string
  frequency: number
  due_day: number
  /** Unix seconds of the chain's clock: when the sweep is to read it next; 0, so at once, until it has been read. */
  sweep_at: number
  block_number: number | null
  block_timestamp: number | null
  /** The day of the next charge. */
  first_day: number | null
  /** One letter for each charge from `first_day` on, as `Verdict` has it. */
  charges: string | null
  /** 1 allowance, 2 balance, 3 both, 4 blocked; `null` if all charges are paid. */
  trouble: number | null
  trouble_day: number | null
  /** Raw units. */
  missing_allowance: string | null
  missing_balance: string | null
  /** The order version since which `first_day` and `trouble_day`, which decide the place in lists, are as they are. */
  placed_at: Generated<number>
}

/** Places that members had in lists before, so that a list which was begun can be read on in its order. Only for present members. */
export interface FormerPlacesTable {
  chain_id: number
  provider: string
  subscriber: string
  subscription_id: string
  /** The order version since which it had this place. */
  placed_at: number
  /** The order version with which it left this place. */
  left_at: number
  first_day: number | null
  trouble_day: number | null
}

/** Sums over `verdicts`. Kept here because adding up 50,000 rows for each answer would be slow. */
export interface VerdictCountsTable {
  chain_id: number
  provider: string
  subscription_id: string
  /** The day of the charges; 0 in the rows that count memberships (`kind` 0), not charges. */
  day_number: number
  /**
   * What is counted. 0: memberships whose money has been read. Else charges that will be 1 paid, 2 paid while filling the fee balance,
   * 3 failed, 4 blocked, 5 skipped: the place in `KINDS` of `VerdictCounts.ts`.
   */
  kind: number
  count: number
}

/** What subscriptions moved, and what ended memberships. Amounts are in the token's smallest unit; `protocol/payments/Payment.ts` says what each is. */
export interface PaymentsTable {
  chain_id: number
  block_number: number
  /** The first and the last log that belong to it. */
  log_index: number
  last_log_index: number
  transaction_hash: string
  /** Unix seconds. */
  timestamp: number
  /** The place in PAYMENT_KINDS, from 0. */
  kind: number
  subscription_id: string
  provider: string
  /** `null` for a cancellation. */
  subscriber: string | null
  token: string
  /** The due day that it was for, as a day number. */
  day: number
  to_provider: string
  to_fee_balance: string
  to_subscriber: string
  caller_fee: string
  /** What the system got: of the fee for remit's caller, or of a fee balance that a clean-up paid back. */
  system_share: string
  /** By how much it changed the number of active members of a subscription that is not cancelled: 1, 0 or negative. */
  members: number
  drop_reason: string | null
}

/** The payments of a subscription on one UTC day, added up. A day on which all is zero has no row. */
export interface PaymentDaysTable {
  chain_id: number
  subscription_id: string
  day: number
  /** The token that was paid in. It is another than the subscription's own only where a clean-up named another one. */
  token: string
  provider: string
  /** In the token's smallest unit, like the next five. `Figures` in `protocol/payments/revenue.ts` says what each is. */
  received: string
  into_fee_balances: string
  /** What the provider got out of the fee balances of those who left or were dropped. */
  out_of_fee_balances: string
  refunds: string
  caller_fees: string
  system_shares: string
  payments: number
  failures: number
  joined: number
  left_count: number
  removed: number
  dropped: number
  cancelled: number
}

/** The days that remit finished or broke off, as its CallerLogs say. */
export interface CheckedDaysTable {
  chain_id: number
  block_number: number
  log_index: number
  day: number
  is_finished: number
}

/** Tokens that have once not logged the transfer that the contract asked for, with the first block of that. */
export interface UnstatedTokensTable {
  chain_id: number
  token: string
  block_number: number
}

/** Whether the Transfer logs of a token agree with its balances, as a trial of one transfer at a block showed. */
export interface TokenChecksTable {
  chain_id: number
  token: string
  block_number: number
  /** Unix seconds. */
  block_timestamp: number
  /** 1 if they did not. Such a row is never written again. */
  differs: number
}

/** What happened, as callers hear it. Rows are only added; one that a reorganisation took back is marked. */
export interface EventLogTable {
  chain_id: number
  sequence: number
  id: string
  /** The place in EVENT_TYPES. */
  type: number
  block_number: number
  block_hash: string
  /** Unix seconds of the block. */
  timestamp: number
  /** `null` for what no log says. */
  log_index: number | null
  transaction_hash: string | null
  subscription_id: string | null
  provider: string | null
  account: string | null
  token: string | null
  /** JSON: EVENT_FACTS of the type. */
  facts: string
  /** The sequence of the event `retracted` that took it back; `null` where none did. */
  retracted_by: number | null
}

/** Who a provider is, beyond what it says: its domain, as two resolvers have it, and its name on the chain. */
export interface ProviderChecksTable {
  chain_id: number
  provider: string
  /** Unix seconds of the wall's clock: when it is to be looked up; 0 at once. */
  due_at: number
  /** How many look-ups in a row did not find the domain to be the provider's. */
  tries: number
  /** The log of the profile that was looked up. While another one is the newest, the domain counts as not looked up. */
  profile_block: number | null
  profile_log_index: number | null
  /** The domain that was looked up; `null` where the profile states no valid one. */
  domain: string | null
  /** A key of DOMAIN_OUTCOMES; `null` until it is looked up. */
  outcome: string | null
  /** Unix seconds of the wall's clock: when the outcome was last found. */
  checked_at: number | null
  chain_name: string | null
  /** Unix seconds of the wall's clock: when `chain_name` was read. */
  named_at: number | null
}
