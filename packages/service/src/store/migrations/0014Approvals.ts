import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** What wallets allow the contract to take, by the tokens' logs, and how far these are read; and who is charged soon. */
export async function createApprovals(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('approvals')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('log_index', 'integer', (column) => column.notNull())
    .addColumn('transaction_hash', 'text', (column) => column.notNull())
    .addColumn('timestamp', 'bigint', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('approvals_key', ['chain_id', 'block_number', 'log_index'])
    .execute()
  await db.schema
    .createIndex('approvals_by_owner')
    .on('approvals')
    .columns(['chain_id', 'owner', 'block_number', 'log_index'])
    .execute()
  await db.schema
    .createTable('approval_tokens')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('read_to', 'bigint', (column) => column.notNull())
    .addColumn('live_from', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('approval_tokens_key', ['chain_id', 'token'])
    .execute()
  // For outlooks: who is charged up to a day.
  for (const scope of ['provider', 'subscription_id'] as const) {
    await db.schema
      .createIndex(`verdicts_by_${scope}_first_day`)
      .on('verdicts')
      .columns(['chain_id', scope, 'first_day', 'subscriber'])
      .execute()
  }
  await db.schema.alterTable('index_chains').addColumn('approvals_read_to', 'bigint').execute()
}
