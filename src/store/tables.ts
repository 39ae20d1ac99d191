/**
 * The tables of the store, the same in SQLite and Postgres.
 *
 * Addresses, hashes and ids are lower-case hex. Amounts are decimal text in protocol units, because neither
 * database has a uint256. Flags are 0 or 1.
 */
export interface Tables {
  index_chains: IndexChainsTable
  index_blocks: IndexBlocksTable
  lost_blocks: LostBlocksTable
  events: EventsTable
  details_logs: DetailsLogsTable
  profile_logs: ProfileLogsTable
  subscriptions: SubscriptionsTable
  memberships: MembershipsTable
  account_counts: AccountCountsTable
  subscriber_counts: SubscriberCountsTable
  token_counts: TokenCountsTable
  api_keys: ApiKeysTable
}

/** One row for each chain: which chain it is, the block that its index has reached, and who may write it. */
export interface IndexChainsTable {
  chain_id: number
  genesis_hash: string
  contract: string
  first_block: number
  /** What the rows are read from: `rpc` or `subgraph`. */
  source: string
  /** Grows by one each time the lease is taken. A commit with an older epoch fails. */
  epoch: number
  holder: string | null
  /** Unix milliseconds of the store's clock. */
  lease_until: number
  /** The last block that is indexed. */
  block_number: number
  block_hash: string
  block_parent_hash: string
  block_timestamp: number
  finalized_block: number
  /** A sentence for the operator while something is wrong that further indexing does not repair. */
  alarm: string | null
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
  /** Unix seconds, as the log states them: the time of its block. */
  timestamp: number
}

/** SubLogs, one row each. */
export interface EventsTable extends LogColumns {
  subscription_id: string
  /** The contract's number, 0 to 9. */
  event: number
  provider: string
  subscriber: string | null
  token: string
  amount: string
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

/** How many events an account is in. Kept here because counting them for each answer would be slow. */
export interface AccountCountsTable {
  chain_id: number
  account: string
  as_subscriber: number
  as_provider: number
}

/** How many accounts are subscribed now. */
export interface SubscriberCountsTable {
  chain_id: number
  subscription_id: string
  subscribers: number
}

/** How many subscriptions were ever created in a token. */
export interface TokenCountsTable {
  chain_id: number
  token: string
  subscriptions: number
}

export interface ApiKeysTable {
  id: string
  subject_id: string
  label: string | null
  /** SHA-256 of the whole key, hex. The key itself is not stored. */
  hash: string
  /** The key's first characters, by which its owner recognises it. */
  prefix: string
  /** Unix milliseconds, like the next three. */
  created_at: number
  last_used_at: number | null
  expires_at: number | null
  revoked_at: number | null
  /** The id of the key that replaced it, if it was rotated. */
  replaced_by: string | null
}
