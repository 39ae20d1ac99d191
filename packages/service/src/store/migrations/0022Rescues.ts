import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The signed permits that members have left for their providers to carry. */
export async function createRescues(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('rescues')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('is_allowed', 'integer', (column) => column.notNull())
    .addColumn('deadline', 'bigint', (column) => column.notNull())
    .addColumn('nonce', 'text', (column) => column.notNull())
    .addColumn('is_public', 'integer', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_block', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('rescues_by_nonce', ['chain_id', 'owner', 'token', 'nonce'])
    .execute()
  const index = (
    name: string,
    columns: ('chain_id' | 'provider' | 'is_public' | 'created_at' | 'deadline' | 'checked_at' | 'sender')[],
  ) => db.schema.createIndex(name).on('rescues').columns(columns).execute()
  await index('rescues_of_provider', ['chain_id', 'provider', 'created_at'])
  await index('rescues_in_public', ['chain_id', 'is_public', 'created_at'])
  await index('rescues_by_end', ['chain_id', 'deadline'])
  await index('rescues_by_check', ['chain_id', 'checked_at'])
  await index('rescues_of_sender', ['sender'])
}
