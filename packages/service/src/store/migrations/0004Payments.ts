import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** All tables that hold what was indexed before. */
const INDEX = [
  'index_blocks',
  'lost_blocks',
  'events',
  'details_logs',
  'profile_logs',
  'subscriptions',
  'memberships',
  'account_counts',
  'subscriber_counts',
  'token_counts',
] as const

/**
 * What subscriptions moved, and the days that remit has checked.
 *
 * The receipts of earlier blocks were not read, so every index begins anew at its contract's first block. Until it has
 * caught up, answers say how far it is. `layout` has no default: a process of an older release that still runs cannot begin
 * an index without payments.
 */
export async function addPayments(db: Transaction<Tables>): Promise<void> {
  for (const table of INDEX) await sql`delete from ${sql.table(table)}`.execute(db)
  await db.schema.dropTable('index_chains').execute()
  await db.schema
    .createTable('index_chains')
    .addColumn('chain_id', 'bigint', (column) => column.primaryKey())
    .addColumn('layout', 'integer', (column) => column.notNull())
    .addColumn('genesis_hash', 'text', (column) => column.notNull())
    .addColumn('contract', 'text', (column) => column.notNull())
    .addColumn('first_block', 'bigint', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('block_hash', 'text', (column) => column.notNull())
    .addColumn('block_parent_hash', 'text', (column) => column.notNull())
    .addColumn('block_timestamp', 'bigint', (column) => column.notNull())
    .addColumn('finalized_block', 'bigint', (column) => column.notNull())
    .addColumn('alarm', 'text')
    .execute()
  await createPayments(db)
  await createDays(db)
}

async function createPayments(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('payments')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('log_index', 'integer', (column) => column.notNull())
    .addColumn('last_log_index', 'integer', (column) => column.notNull())
    .addColumn('transaction_hash', 'text', (column) => column.notNull())
    .addColumn('timestamp', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'integer', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('subscriber', 'text')
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('to_provider', 'text', (column) => column.notNull())
    .addColumn('to_fee_balance', 'text', (column) => column.notNull())
    .addColumn('to_subscriber', 'text', (column) => column.notNull())
    .addColumn('caller_fee', 'text', (column) => column.notNull())
    .addColumn('system_share', 'text', (column) => column.notNull())
    .addColumn('members', 'bigint', (column) => column.notNull())
    .addColumn('drop_reason', 'text')
    .addPrimaryKeyConstraint('payments_key', ['chain_id', 'block_number', 'log_index'])
    .execute()
  const position = ['block_number', 'log_index'] as const
  for (const [name, columns] of [
    ['membership', ['subscription_id', 'subscriber']],
    ['transaction', ['transaction_hash']],
  ] as const) {
    await db.schema
      .createIndex(`payments_by_${name}`)
      .on('payments')
      .columns(['chain_id', ...columns, ...position])
      .execute()
  }
  await db.schema
    .createIndex('payments_by_provider')
    .on('payments')
    .columns(['chain_id', 'provider', ...position])
    .where(sql.ref('subscriber'), 'is not', null)
    .execute()
  await db.schema
    .createTable('unstated_tokens')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('unstated_tokens_key', ['chain_id', 'token'])
    .execute()
  await db.schema
    .createIndex('unstated_tokens_by_block')
    .on('unstated_tokens')
    .columns(['chain_id', 'block_number'])
    .execute()
}

async function createDays(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('checked_days')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('log_index', 'integer', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('is_finished', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('checked_days_key', ['chain_id', 'block_number', 'log_index'])
    .execute()
  await db.schema
    .createTable('payment_days')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('received', 'text', (column) => column.notNull())
    .addColumn('into_fee_balances', 'text', (column) => column.notNull())
    .addColumn('out_of_fee_balances', 'text', (column) => column.notNull())
    .addColumn('refunds', 'text', (column) => column.notNull())
    .addColumn('caller_fees', 'text', (column) => column.notNull())
    .addColumn('system_shares', 'text', (column) => column.notNull())
    .addColumn('payments', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('joined', 'bigint', (column) => column.notNull())
    .addColumn('left_count', 'bigint', (column) => column.notNull())
    .addColumn('removed', 'bigint', (column) => column.notNull())
    .addColumn('dropped', 'bigint', (column) => column.notNull())
    .addColumn('cancelled', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('payment_days_key', ['chain_id', 'subscription_id', 'day', 'token'])
    .execute()
  await db.schema
    .createIndex('payment_days_by_provider')
    .on('payment_days')
    .columns(['chain_id', 'provider', 'day', 'subscription_id'])
    .execute()
}
