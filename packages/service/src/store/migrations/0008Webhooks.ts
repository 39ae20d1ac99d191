import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The endpoints of webhooks, what waits to be delivered to them, and how deliverers share the work. */
export async function createWebhooks(db: Transaction<Tables>): Promise<void> {
  await createEndpoints(db)
  await createDeliveries(db)
  await db.schema
    .createTable('webhook_cursors')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('finality', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_cursors_key', ['chain_id', 'finality'])
    .execute()
  await db.schema
    .createTable('webhook_feeds')
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('again', 'integer', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('until_sequence', 'bigint')
    .addPrimaryKeyConstraint('webhook_feeds_key', ['endpoint_id', 'chain_id', 'again'])
    .execute()
  await db.schema
    .createTable('webhook_leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('webhook_service')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('private_key', 'text')
    .addColumn('public_key', 'text')
    .execute()
  await db.insertInto('webhook_service').values({ id: 1, version: 0 }).execute()
}

async function createEndpoints(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_endpoints')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('chain_id', 'bigint')
    .addColumn('types', 'text')
    .addColumn('subscription_id', 'text')
    .addColumn('provider', 'text')
    .addColumn('account', 'text')
    .addColumn('finality', 'text', (column) => column.notNull())
    .addColumn('begins', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('old_secret', 'text')
    .addColumn('old_secret_until', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('paused_at', 'bigint')
    .addColumn('paused_reason', 'text')
    .addColumn('delivered_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('shard', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('webhook_endpoints_by_subject')
    .on('webhook_endpoints')
    .columns(['subject_id', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('webhook_endpoints_due')
    .on('webhook_endpoints')
    .columns(['due_at', 'shard'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}

async function createDeliveries(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('state', 'integer', (column) => column.notNull())
    .addColumn('again', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('attempted_at', 'bigint')
    .addColumn('duration_ms', 'integer')
    .addColumn('status', 'integer')
    .addColumn('answer', 'text')
    .addColumn('failure', 'text')
    .addPrimaryKeyConstraint('webhook_deliveries_key', ['endpoint_id', 'chain_id', 'sequence'])
    .execute()
  // What waits, in the order in which it is sent, and what it waits for.
  await db.schema
    .createIndex('webhook_deliveries_pending')
    .on('webhook_deliveries')
    .columns(['endpoint_id', 'again', 'chain_id', 'sequence'])
    .where(sql.ref('state'), '=', sql.lit(0))
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_queue')
    .on('webhook_deliveries')
    .columns(['endpoint_id', 'queue', 'next_at'])
    .where(sql.ref('state'), '=', sql.lit(0))
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_event')
    .on('webhook_deliveries')
    .columns(['event_id', 'endpoint_id'])
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_time')
    .on('webhook_deliveries')
    .columns(['endpoint_id', 'created_at', 'chain_id', 'sequence'])
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_ended')
    .on('webhook_deliveries')
    .columns(['attempted_at'])
    .where(sql.ref('state'), '<>', sql.lit(0))
    .execute()
}
