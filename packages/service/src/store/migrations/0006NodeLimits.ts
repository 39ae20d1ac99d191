import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** What was learnt of the nodes: how much they answer at once, and what they can do. */
export async function createNodeLimits(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('node_limits')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .addColumn('learnt_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('node_limits_key', ['chain_id', 'endpoint', 'name'])
    .execute()
}
