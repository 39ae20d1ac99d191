import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Webhook endpoints now read the log by cursors of their own ("lanes"), and a claim on the endpoint takes the place of all leases.
 *
 * Nothing is lost and nothing comes twice: what waits in rows goes on waiting, an endpoint that was fed from the log on its
 * own reads on from there, and all others are where the log had been handed out. A deliverer of an earlier release finds no
 * leases any more, so it begins nothing more.
 */
export async function createLanes(db: Transaction<Tables>): Promise<void> {
  await createTables(db)
  await sql`insert into webhook_routes (chain_id, finality, sequence, version)
    select chain_id, finality, sequence, 0 from webhook_cursors`.execute(db)
  await sql`insert into webhook_lanes (endpoint_id, chain_id, queue, sequence, until_sequence)
    select endpoint_id, chain_id, case when again = 1 then 'since' else '' end, sequence, until_sequence
    from webhook_feeds`.execute(db)
  // What is sent again waits for nothing, and all others of a queue wait for its next attempt.
  await sql`update webhook_deliveries set queue = 'again ' || chain_id || ' ' || sequence
    where state = 0 and again = 1`.execute(db)
  await sql`update webhook_deliveries set next_at = (
      select max(others.next_at) from webhook_deliveries as others
      where others.endpoint_id = webhook_deliveries.endpoint_id and others.queue = webhook_deliveries.queue
        and others.state = 0)
    where state = 0`.execute(db)
  for (const table of ['webhook_cursors', 'webhook_feeds', 'webhook_leases']) {
    await db.schema.dropTable(table).execute()
  }
  // All that looks for rows that wait looks for those of a queue.
  await db.schema.dropIndex('webhook_deliveries_pending').execute()
  await changeEndpoints(db)
}

async function createTables(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('webhook_routes')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('finality', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_routes_key', ['chain_id', 'finality'])
    .execute()
  await db.schema
    .createTable('webhook_lanes')
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('until_sequence', 'bigint')
    .addPrimaryKeyConstraint('webhook_lanes_key', ['endpoint_id', 'chain_id', 'queue'])
    .execute()
  await db.schema
    .createTable('webhook_deliverers')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('alive_until', 'bigint', (column) => column.notNull())
    .execute()
}

async function changeEndpoints(db: Transaction<Tables>): Promise<void> {
  await db.schema.dropIndex('webhook_endpoints_due').execute()
  await db.schema.alterTable('webhook_endpoints').dropColumn('shard').execute()
  for (const column of ['turn', 'claimed', 'woken', 'version'] as const) {
    await db.schema
      .alterTable('webhook_endpoints')
      .addColumn(column, 'bigint', (added) => added.notNull().defaultTo(0))
      .execute()
  }
  await db.schema.alterTable('webhook_endpoints').addColumn('waits_since', 'bigint').execute()
  // Whoever has a lane or a row that waits is looked at; where nothing can be sent yet, that is seen then.
  await sql`update webhook_endpoints set waits_since = due_at, due_at = coalesce(due_at, created_at)
    where paused_at is null and (due_at is not null or id in (select endpoint_id from webhook_lanes)
      or id in (select endpoint_id from webhook_deliveries where state = 0))`.execute(db)
  await db.schema
    .createIndex('webhook_endpoints_due')
    .on('webhook_endpoints')
    .columns(['due_at'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}
