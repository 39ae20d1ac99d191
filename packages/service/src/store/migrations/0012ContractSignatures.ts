import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Sessions get what the contract of their wallet has confirmed, so that it can be asked again. Open sessions need no value: they are
 * never found again, because their hash is of one secret, and that of sessions is now of two.
 */
export async function addContractSignatures(db: Transaction<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('message_hash', 'text').execute()
  await db.schema.alterTable('sessions').addColumn('signature', 'text').execute()
}
