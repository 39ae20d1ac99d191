import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The sessions of the portal, the nonces of sign-ins, and the keys that sign passes. */
export async function createPortal(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sessions_by_end').on('sessions').column('expires_at').execute()
  await db.schema
    .createTable('sign_in_nonces')
    .addColumn('nonce', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sign_in_nonces_by_end').on('sign_in_nonces').column('expires_at').execute()
  await db.schema
    .createTable('pass_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('sealed_key', 'text', (column) => column.notNull())
    .addColumn('signs_from', 'bigint', (column) => column.notNull())
    .addColumn('signs_until', 'bigint', (column) => column.notNull())
    .execute()
}
