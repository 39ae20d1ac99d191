import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The tables of the index, which search and history are read from. */
export async function createHistory(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('index_chains')
    .addColumn('chain_id', 'bigint', (column) => column.primaryKey())
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
  await db.schema
    .createTable('index_blocks')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('parent_hash', 'text', (column) => column.notNull())
    .addColumn('timestamp', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('index_blocks_key', ['chain_id', 'number'])
    .execute()
  await db.schema
    .createTable('lost_blocks')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('lost_blocks_key', ['chain_id', 'number', 'hash'])
    .execute()

  const logTable = (table: 'events' | 'details_logs' | 'profile_logs') =>
    db.schema
      .createTable(table)
      .addColumn('chain_id', 'bigint', (column) => column.notNull())
      .addColumn('block_number', 'bigint', (column) => column.notNull())
      .addColumn('log_index', 'integer', (column) => column.notNull())
      .addColumn('transaction_hash', 'text', (column) => column.notNull())
      .addColumn('timestamp', 'bigint', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['chain_id', 'block_number', 'log_index'])

  await logTable('events')
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('event', 'integer', (column) => column.notNull())
    .addColumn('subscriber', 'text')
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .execute()
  await logTable('details_logs')
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .execute()
  await logTable('profile_logs')
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('company', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('misc', 'text', (column) => column.notNull())
    .execute()

  const position = ['block_number', 'log_index'] as const
  for (const [table, column] of [
    ['events', 'subscription_id'],
    ['events', 'provider'],
    ['events', 'subscriber'],
    ['profile_logs', 'provider'],
  ] as const) {
    await db.schema
      .createIndex(`${table}_by_${column}`)
      .on(table)
      .columns(['chain_id', column, ...position])
      .execute()
  }
  await db.schema
    .createIndex('details_logs_by_subscription_id')
    .on('details_logs')
    .columns(['chain_id', 'subscription_id', 'provider', ...position])
    .execute()
  // The events that decide an account's status in a subscription. A rollback reads the newest one that is left.
  await db.schema
    .createIndex('events_by_membership')
    .on('events')
    .columns(['chain_id', 'subscription_id', 'subscriber', ...position])
    .where(sql.ref('event'), 'in', sql`(6, 7, 9)`)
    .execute()

  await db.schema
    .createTable('subscriptions')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('frequency', 'integer', (column) => column.notNull())
    .addColumn('due_day', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_block', 'bigint', (column) => column.notNull())
    .addColumn('created_log_index', 'integer', (column) => column.notNull())
    .addColumn('transaction_hash', 'text', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addColumn('cancelled_block', 'bigint')
    .addPrimaryKeyConstraint('subscriptions_key', ['chain_id', 'id'])
    .execute()
  // One index for each combination of filters, so that no search walks past rows that do not match. The provider
  // comes last: a database that expects few rows may choose a longer index than asked for, and sort.
  const filters = ['token', 'frequency', 'provider'] as const
  for (let chosen = 0; chosen < 2 ** filters.length; chosen += 1) {
    const columns = filters.filter((_, bit) => (chosen & (1 << bit)) !== 0)
    await db.schema
      .createIndex(['subscriptions_by', ...columns, 'age'].join('_'))
      .on('subscriptions')
      .columns(['chain_id', 'cancelled', ...columns, 'created_block', 'created_log_index'])
      .execute()
  }
  await db.schema
    .createIndex('subscriptions_by_cancellation')
    .on('subscriptions')
    .columns(['chain_id', 'cancelled_block'])
    .where(sql.ref('cancelled_block'), 'is not', null)
    .execute()

  await db.schema
    .createTable('memberships')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('subscriber', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('first_block', 'bigint', (column) => column.notNull())
    .addColumn('first_log_index', 'integer', (column) => column.notNull())
    // The subscriber comes first. Otherwise a database might use this key to list a subscription's members and
    // walk past all who have left.
    .addPrimaryKeyConstraint('memberships_key', ['chain_id', 'subscriber', 'subscription_id'])
    .execute()
  await db.schema
    .createIndex('memberships_by_status')
    .on('memberships')
    .columns(['chain_id', 'subscription_id', 'status', 'subscriber'])
    .execute()
  await db.schema
    .createIndex('memberships_by_subscriber')
    .on('memberships')
    .columns(['chain_id', 'subscriber', 'first_block', 'first_log_index'])
    .execute()

  await db.schema
    .createTable('account_counts')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('as_subscriber', 'bigint', (column) => column.notNull())
    .addColumn('as_provider', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_counts_key', ['chain_id', 'account'])
    .execute()
  await db.schema
    .createTable('subscriber_counts')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('subscribers', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('subscriber_counts_key', ['chain_id', 'subscription_id'])
    .execute()
  await db.schema
    .createTable('token_counts')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('subscriptions', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('token_counts_key', ['chain_id', 'token'])
    .execute()
}
