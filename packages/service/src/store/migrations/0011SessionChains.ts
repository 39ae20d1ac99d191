import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Who confirmed a session's signature. Open sessions do not tell, and last two hours at most: they end.
 *
 * The column has no default, so that a process of an earlier release, which still runs during the update, opens no session
 * that does not tell: it would count for every chain.
 */
export async function addSessionChains(db: Transaction<Tables>): Promise<void> {
  await db.schema.dropTable('sessions').execute()
  await db.schema
    .createTable('sessions')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sessions_by_end').on('sessions').column('expires_at').execute()
}
