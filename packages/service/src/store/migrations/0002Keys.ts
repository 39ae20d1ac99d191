import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The table of developers' API keys. */
export async function createKeys(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('label', 'text')
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('api_keys_by_subject')
    .on('api_keys')
    .columns(['subject_id', 'created_at', 'id'])
    .execute()
  await db.schema.createIndex('api_keys_by_age').on('api_keys').columns(['created_at', 'id']).execute()
}
