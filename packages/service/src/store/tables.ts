import type {
  AccountCountsTable,
  ApprovalsTable,
  ApprovalTokensTable,
  CheckedDaysTable,
  DetailsLogsTable,
  EventLogTable,
  EventsTable,
  FormerPlacesTable,
  IndexBlocksTable,
  IndexChainsTable,
  LostBlocksTable,
  MembershipsTable,
  PaymentDaysTable,
  PaymentsTable,
  ProfileLogsTable,
  ProviderChecksTable,
  SearchTextsTable,
  SubscriptionsTable,
  TokenChecksTable,
  TokenCountsTable,
  UnstatedTokensTable,
  VerdictCountsTable,
  VerdictsTable,
} from './indexTables.ts'

// The columns of all tables, for the query builder: those of the index are in `indexTables.ts`, the others here. `migrations/` makes them.

/**
 * The tables of the store, the same in SQLite and Postgres.
 *
 * Addresses, hashes and ids are lower-case hex. Amounts are decimal text, because neither database has a
 * uint256: in protocol units, except where a column says otherwise. Flags are 0 or 1.
 */
export interface Tables {
  index_chains: IndexChainsTable
  index_blocks: IndexBlocksTable
  lost_blocks: LostBlocksTable
  events: EventsTable
  approvals: ApprovalsTable
  approval_tokens: ApprovalTokensTable
  details_logs: DetailsLogsTable
  profile_logs: ProfileLogsTable
  subscriptions: SubscriptionsTable
  search_texts: SearchTextsTable
  memberships: MembershipsTable
  account_counts: AccountCountsTable
  token_counts: TokenCountsTable
  verdicts: VerdictsTable
  former_places: FormerPlacesTable
  verdict_counts: VerdictCountsTable
  payments: PaymentsTable
  payment_days: PaymentDaysTable
  checked_days: CheckedDaysTable
  unstated_tokens: UnstatedTokensTable
  token_checks: TokenChecksTable
  provider_checks: ProviderChecksTable
  event_log: EventLogTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  sign_in_nonces: SignInNoncesTable
  pass_keys: PassKeysTable
  rescues: RescuesTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_lanes: WebhookLanesTable
  webhook_routes: WebhookRoutesTable
  webhook_deliverers: WebhookDeliverersTable
  webhook_service: WebhookServiceTable
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
  /** The account that its requests are counted in, which rotated keys share; `null` for one named by the key's own id. */
  account: string | null
}

/** Who is signed in at the portal. Times are unix milliseconds. */
export interface SessionsTable {
  /** SHA-256 of the cookie's token and the page's secret, hex. Neither is stored. */
  hash: string
  /** The wallet's address, in lower case. */
  subject: string
  expires_at: number
  /** The chain whose contract confirmed the signature; 0 where the wallet's own key signed. */
  chain_id: number
  /** What that contract has confirmed: the hash of the message, and its signature. `null` where the key signed. */
  message_hash: `0x${string}` | null
  signature: `0x${string}` | null
}

/** Nonces that were given out and not used yet. */
interface SignInNoncesTable {
  nonce: string
  expires_at: number
}

/** The keys that sign passes. */
export interface PassKeysTable {
  id: string
  /** The `x` of its JWK. */
  public_key: string
  /** The private key in PKCS #8, sealed by SECRETS_KEY. */
  sealed_key: string
  /** Unix milliseconds, like the next. */
  signs_from: number
  signs_until: number
}

/** Signed permits that members have left for their providers to carry. */
export interface RescuesTable {
  id: string
  chain_id: number
  owner: string
  token: string
  provider: string
  /** The allowance that it sets, in the token's smallest unit. */
  value: string
  /** 1 where it was signed as `allowed: true` and not by an amount. */
  is_allowed: number
  /** Unix seconds, by the chain's clock. */
  deadline: number
  nonce: string
  /** 1 where anybody may see and carry it. */
  is_public: number
  /** Sealed by SECRETS_KEY. */
  signature: string
  /** A keyed hash of the network address that it came from: counts permits by address, and tells nobody the address. */
  sender: string
  /** Unix milliseconds. */
  created_at: number
  /** When it was last found to be one that the token takes, in unix milliseconds of the wall's clock. */
  checked_at: number
  /** The block that this was found at. */
  checked_block: number
}

// Webhooks. A process claims an endpoint for one turn: it reads the event log from the endpoint's cursors, writes a delivery (a "row") for
// each event that the endpoint wants, and sends what is due. `webhooks/delivering/rows.ts` explains the words: queue, cursor, late, since.

/** One row for each webhook: where events are sent, which ones, and how that goes. */
export interface WebhookEndpointsTable {
  id: string
  subject_id: string
  url: string
  description: string | null
  /** `null` for all chains. */
  chain_id: number | null
  /** JSON: a list of event types; `null` for all. */
  types: string | null
  subscription_id: string | null
  provider: string | null
  account: string | null
  finality: string
  /** JSON: for each chain the sequence in its log, and the block, after which events are for this endpoint: it hears no earlier ones. */
  begins: string
  /** Sealed, like the next one. */
  secret: string
  /** The secret before the last rotation. It signs too, until its end. */
  old_secret: string | null
  /** Unix milliseconds, like the next four. */
  old_secret_until: number | null
  created_at: number
  /** `null` while it is active. */
  paused_at: number | null
  /** `owner`, `gone` or `failing`. */
  paused_reason: string | null
  delivered_at: number | null
  /** The first failure since the last delivery. */
  failing_since: number | null
  /** Failures since the last delivery. */
  failures: number
  /** Unix milliseconds of the store's clock: when it is looked at next, or when its claim ends; `null` while nothing waits. */
  due_at: number | null
  /** Since when something waits for a process that sends it, without the time that the receiver took. */
  waits_since: number | null
  /** The number of the last claim. What a process with an older one would still write is dropped. */
  turn: number
  /** 1 while a turn has it. If its process is killed, the next turn begins at `due_at`. */
  claimed: number
  /** 1 if it was woken while a turn has it: there may be more to send than that turn has read, so another turn follows. */
  woken: number
  /** `webhook_service.version` when this endpoint was made, or last changed what it hears. */
  version: number
}

/** One row for each event (or message) and endpoint: what is to be delivered, or was. */
export interface WebhookDeliveriesTable {
  endpoint_id: string
  chain_id: number
  /** The event's place in the log. */
  sequence: number
  event_id: string
  type: string
  /** What must stay in order: an endpoint's deliveries of one queue (a subscription, mostly) are sent one after the other. */
  queue: string
  /** The event as JSON, the same for each attempt. */
  body: string
  /** 0 it waits, 1 it was delivered, 2 it was given up. */
  state: number
  /** 1 where its owner asked for it again. Such a one is sent out of order, without waiting for its queue. */
  again: number
  /** Unix milliseconds, like all times here. */
  created_at: number
  /** The earliest time of the next attempt, which is the same for all that wait in a queue. */
  next_at: number
  attempts: number
  first_attempt_at: number | null
  attempted_at: number | null
  duration_ms: number | null
  status: number | null
  /** The beginning of the answer. */
  answer: string | null
  /** Why no answer came. */
  failure: string | null
}

/**
 * The cursors of an endpoint: how far it has read the log of a chain. For every event that it wants up to its main cursor a delivery was
 * written. Exceptions are queues that are late: they have a cursor of their own, and later events of theirs have no delivery yet. Without
 * a main cursor it has read as far as `webhook_routes` says.
 */
export interface WebhookLanesTable {
  endpoint_id: string
  chain_id: number
  /** `''` for the main cursor, `since` for what its owner wants once more, or the queue that is late. */
  queue: string
  /** The sequence up to which the deliveries are written. */
  sequence: number
  /** Where the cursor of `since` ends; `null` for the others. */
  until_sequence: number | null
}

/**
 * How far the router has gone through the log of a chain. For each new event it wakes the endpoints that want it, so that they are looked
 * at; no endpoint reads further than the router. There is one row for each finality, since that decides when an event counts.
 */
export interface WebhookRoutesTable {
  chain_id: number
  finality: string
  sequence: number
  /** The version of the endpoints that the router knew. Endpoints made or changed later read the log up to here by themselves. */
  version: number
}

/** Which processes deliver. */
interface WebhookDeliverersTable {
  name: string
  /** Unix milliseconds of the store's clock. */
  alive_until: number
}

/** One row: the key that signs what all webhooks get, and a count. */
interface WebhookServiceTable {
  id: number
  /** Grows with each change of what any endpoint wants to hear, and with each message that is in no log. */
  version: number
  /** Sealed. */
  private_key: string | null
  public_key: string | null
}
