import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** On which chain a contract signed in. Open sessions do not tell, and last two hours at most: they end. */
export async function addSessionChains(db: Transaction<Tables>): Promise<void> {
  await db.deleteFrom('sessions').execute()
  await db.schema.alterTable('sessions').addColumn('chain_id', 'bigint').execute()
}
