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
  'verdicts',
  'verdict_counts',
  'payments',
  'payment_days',
  'checked_days',
  'unstated_tokens',
] as const

/**
 * The log of what happened, as callers hear it.
 *
 * The ids of events are made of block hashes, which earlier rows do not have. So every index begins anew at its contract's
 * first block. `log_sequence` has no default: a process of an older release that still runs cannot begin an index without a
 * log.
 */
export async function addEventLog(db: Transaction<Tables>): Promise<void> {
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
    .addColumn('log_sequence', 'bigint', (column) => column.notNull())
    .addColumn('alarm', 'text')
    .execute()
  await createLog(db)
}

async function createLog(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('event_log')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('type', 'integer', (column) => column.notNull())
    .addColumn('block_number', 'bigint', (column) => column.notNull())
    .addColumn('block_hash', 'text', (column) => column.notNull())
    .addColumn('timestamp', 'bigint', (column) => column.notNull())
    .addColumn('log_index', 'integer')
    .addColumn('transaction_hash', 'text')
    .addColumn('subscription_id', 'text')
    .addColumn('provider', 'text')
    .addColumn('account', 'text')
    .addColumn('token', 'text')
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('retracted_by', 'bigint')
    .addPrimaryKeyConstraint('event_log_key', ['chain_id', 'sequence'])
    .execute()
  for (const subject of ['subscription_id', 'provider', 'account'] as const) {
    await db.schema
      .createIndex(`event_log_by_${subject}`)
      .on('event_log')
      .columns(['chain_id', subject, 'sequence'])
      .where(sql.ref(subject), 'is not', null)
      .execute()
  }
  // A rollback finds what it takes back, and a reader who waits for finality where to stop.
  await db.schema
    .createIndex('event_log_by_block')
    .on('event_log')
    .columns(['chain_id', 'block_number'])
    .execute()
  // What was told last of a membership or a token decides what is told next.
  await db.schema
    .createIndex('event_log_told')
    .on('event_log')
    .columns(['chain_id', 'token', 'subscription_id', 'account', 'sequence'])
    .where(sql.ref('log_index'), 'is', null)
    .execute()
  // What was told before somebody joined again is past.
  await db.schema
    .createIndex('event_log_joined')
    .on('event_log')
    .columns(['chain_id', 'subscription_id', 'account', 'sequence'])
    .where(sql.ref('type'), '=', sql.lit(3))
    .execute()
}
