import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Who providers are, beyond what they say of themselves: one row for each wallet that has published a profile or a plan. */
export async function createProviderChecks(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('provider_checks')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('tries', 'integer', (column) => column.notNull())
    .addColumn('profile_block', 'bigint')
    .addColumn('profile_log_index', 'integer')
    .addColumn('domain', 'text')
    .addColumn('outcome', 'text')
    .addColumn('checked_at', 'bigint')
    .addColumn('chain_name', 'text')
    .addColumn('named_at', 'bigint')
    .addPrimaryKeyConstraint('provider_checks_key', ['chain_id', 'provider'])
    .execute()
  await db.schema
    .createIndex('provider_checks_due')
    .on('provider_checks')
    .columns(['chain_id', 'due_at'])
    .execute()
  await db.schema
    .alterTable('index_chains')
    .addColumn('providers_checked', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`insert into provider_checks (chain_id, provider, due_at, tries)
    select chain_id, provider, 0, 0 from profile_logs
    union select chain_id, provider, 0, 0 from subscriptions`.execute(db)
}
