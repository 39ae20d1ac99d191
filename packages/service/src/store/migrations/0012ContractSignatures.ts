import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * What the contract of a session's wallet has confirmed, so that it can be asked again. Open sessions are not asked for again:
 * their hash is of one secret, and sessions have two.
 */
export async function addContractSignatures(db: Transaction<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('message_hash', 'text').execute()
  await db.schema.alterTable('sessions').addColumn('signature', 'text').execute()
}
