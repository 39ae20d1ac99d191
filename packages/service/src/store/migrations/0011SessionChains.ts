import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Sessions get the chain whose contract confirmed their signature. Open sessions lack it, and are ended: they last two hours at most.
 *
 * The column has no default, so that a process of an earlier release, which still runs during the update, opens no session
 * without it: such a session would count for every chain.
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
