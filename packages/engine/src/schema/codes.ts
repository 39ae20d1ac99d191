import * as z from 'zod'

/** Why remit stops: a precondition of the next call, a warning about a later one. */
const REMIT_STOP_CODES = ['REMIT_STALLED', 'REMIT_BLOCKED_BY_TRANSFER', 'TRANSACTION_GAS_CAP'] as const

export type RemitStopCode = (typeof REMIT_STOP_CODES)[number]

/** The codes of failing preconditions. They are permanent, because clients branch on them. */
export const PRECONDITION_CODES = [
  'SUBSCRIPTION_CANCELLED',
  'TOKEN_PAUSED',
  'TOKEN_NOT_APPROVED',
  'TOKEN_DECIMALS_MISMATCH',
  'AMOUNT_BELOW_MINIMUM',
  'AMOUNT_UNPAYABLE',
  'OWN_SUBSCRIPTION',
  'ALREADY_SUBSCRIBED',
  'NOT_SUBSCRIBED',
  'NOT_PROVIDER',
  'ALREADY_CANCELLED',
  'INSUFFICIENT_BALANCE',
  'SUBSCRIPTION_PAGING',
  'REMIT_NOT_DUE',
  'NOTHING_DUE',
  ...REMIT_STOP_CODES,
  'NOTHING_TO_REVOKE',
  'NOTHING_TO_EXTEND',
  'SIMULATION_FAILED',
] as const

/** The codes of warnings. They are permanent too. */
export const WARNING_CODES = [
  'BACKLOG_CHARGE',
  'FORECAST_CUT',
  'SEARCH_CUT',
  'TRANSFER_LOGS_DIFFER',
  'TOKEN_TAKES_MORE',
  ...REMIT_STOP_CODES,
  'BALANCE_SHORT',
  'SHORTENS_COVERAGE',
  'DAY_ENDS_SOON',
  'ALLOWANCE_REMAINS',
  'ALLOWANCE_RESET',
  'PERMIT_LOWERS_ALLOWANCE',
  'PERMIT_OUTSTANDING',
  'INSUFFICIENT_GAS_FUNDS',
  'REMIT_NEEDS_MORE_TRANSACTIONS',
  'SIMULATION_PARTIAL',
  'GAS_HEURISTIC',
  'ESTIMATE_ADDRESS_REVERTS',
  'TOKEN_DECIMALS_MISMATCH',
] as const

export const PreconditionCode = z
  .enum(PRECONDITION_CODES)
  .meta({ id: 'PreconditionCode', description: 'Why a write on chain cannot be prepared.' })

export const WarningCode = z
  .enum(WARNING_CODES)
  .meta({ id: 'WarningCode', description: 'What an answer warns of.' })
