import type {
  ApiKeysTable,
  PassKeysTable,
  RescuesTable,
  SessionsTable,
  SignInNoncesTable,
} from './accessTables.ts'
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
import type {
  WebhookDeliverersTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
  WebhookLanesTable,
  WebhookRoutesTable,
  WebhookServiceTable,
} from './webhookTables.ts'

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
