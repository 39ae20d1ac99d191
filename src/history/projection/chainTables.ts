import type { Tables } from '../../store/tables.ts'

/**
 * The tables whose rows are made from a chain's logs, and are deleted when an index begins anew. A new table of the index is
 * added here. The log of events is none of them: what was told is not told again.
 */
export const CHAIN_TABLES = [
  'index_blocks',
  'lost_blocks',
  'events',
  'approvals',
  'approval_tokens',
  'details_logs',
  'profile_logs',
  'subscriptions',
  'memberships',
  'account_counts',
  'subscriber_counts',
  'token_counts',
  'payments',
  'payment_days',
  'checked_days',
  'unstated_tokens',
  'verdicts',
  'verdict_counts',
  'token_checks',
] as const satisfies readonly (keyof Tables)[]
