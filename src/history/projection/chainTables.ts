import * as z from 'zod'
import type { Tables } from '../../store/tables.ts'

/** A table that holds rows of a chain. */
export interface ChainTable {
  readonly name: keyof Tables
  /** The columns of its primary key beside the chain's id, in order. */
  readonly key: readonly string[]
  /** All columns but the chain's id, and what they hold. A snapshot of the index has its rows in this order. */
  readonly columns: Readonly<Record<string, z.ZodType<Cell>>>
  /** Rows that stay when an index begins anew: what was told is not told again. Absent for all others. */
  readonly outlivesIndex?: true
}

export type Cell = string | number | null

/** A row without its chain's id, in the order of the declared columns. */
export type Cells = readonly Cell[]

type Columns<Name extends keyof Tables> = {
  readonly [Column in Exclude<keyof Tables[Name], 'chain_id'>]: z.ZodType<Tables[Name][Column] & Cell>
}

/** Checks at compile time that the columns are those of the table. */
function chainTable<Name extends keyof Tables>(
  name: Name,
  key: readonly (keyof Columns<Name> & string)[],
  columns: Columns<Name>,
): ChainTable {
  return { name, key, columns: { ...columns } }
}

const number = z.int().min(0)
const hex = z.string().regex(/^0x[0-9a-f]*$/)
const amount = z.string().regex(/^\d{1,78}$/)
const text = z.string()
const place = {
  block_number: number,
  log_index: number,
  transaction_hash: hex,
  timestamp: number,
  provider: hex,
}
const PLACE = ['block_number', 'log_index'] as const

/**
 * The tables of the index: what a step writes, what `empty` deletes, and what a snapshot of the index holds. A new
 * table of the index is added here.
 */
export const CHAIN_TABLES: readonly ChainTable[] = [
  chainTable('index_blocks', ['number'], { number, hash: hex, parent_hash: hex, timestamp: number }),
  chainTable('lost_blocks', ['number', 'hash'], { number, hash: hex }),
  chainTable('events', PLACE, {
    ...place,
    subscription_id: hex,
    event: number,
    subscriber: hex.nullable(),
    token: hex,
    amount,
  }),
  chainTable('approvals', PLACE, {
    block_number: number,
    log_index: number,
    transaction_hash: hex,
    timestamp: number,
    owner: hex,
    token: hex,
    amount,
  }),
  chainTable('details_logs', PLACE, { ...place, subscription_id: hex, url: text, description: text }),
  chainTable('profile_logs', PLACE, {
    ...place,
    description: text,
    company: text,
    url: text,
    domain: text,
    email: text,
    misc: text,
  }),
  chainTable('subscriptions', ['id'], {
    id: hex,
    provider: hex,
    token: hex,
    amount,
    frequency: number,
    due_day: number,
    created_at: number,
    created_block: number,
    created_log_index: number,
    transaction_hash: hex,
    cancelled: number,
    cancelled_block: number.nullable(),
  }),
  chainTable('memberships', ['subscriber', 'subscription_id'], {
    subscription_id: hex,
    subscriber: hex,
    status: number,
    first_block: number,
    first_log_index: number,
  }),
  chainTable('account_counts', ['account'], { account: hex, as_subscriber: number, as_provider: number }),
  chainTable('subscriber_counts', ['subscription_id'], { subscription_id: hex, subscribers: number }),
  chainTable('token_counts', ['token'], { token: hex, subscriptions: number }),
  chainTable('payments', PLACE, {
    ...place,
    last_log_index: number,
    kind: number,
    subscription_id: hex,
    subscriber: hex.nullable(),
    token: hex,
    day: number,
    to_provider: amount,
    to_fee_balance: amount,
    to_subscriber: amount,
    caller_fee: amount,
    system_share: amount,
    members: z.int(),
    drop_reason: text.nullable(),
  }),
  chainTable('payment_days', ['subscription_id', 'day', 'token'], {
    subscription_id: hex,
    day: number,
    token: hex,
    provider: hex,
    received: amount,
    into_fee_balances: amount,
    out_of_fee_balances: amount,
    refunds: amount,
    caller_fees: amount,
    system_shares: amount,
    payments: number,
    failures: number,
    joined: number,
    left_count: number,
    removed: number,
    dropped: number,
    cancelled: number,
  }),
  chainTable('checked_days', PLACE, {
    block_number: number,
    log_index: number,
    day: number,
    is_finished: number,
  }),
  chainTable('unstated_tokens', ['token'], { token: hex, block_number: number }),
  {
    ...chainTable('event_log', ['sequence'], {
      sequence: number,
      id: z.string().regex(/^evt_[0-9a-f]{40}$/),
      type: number,
      block_number: number,
      block_hash: hex,
      timestamp: number,
      log_index: number.nullable(),
      transaction_hash: hex.nullable(),
      subscription_id: hex.nullable(),
      provider: hex.nullable(),
      account: hex.nullable(),
      token: hex.nullable(),
      facts: text,
      retracted_by: number.nullable(),
    }),
    outlivesIndex: true,
  },
]

/**
 * Tables whose rows are made again from the others: they are deleted with the index, and a snapshot leaves them out.
 */
export const DERIVED_TABLES: readonly (keyof Tables)[] = [
  'verdicts',
  'verdict_counts',
  'token_checks',
  'approval_tokens',
]
