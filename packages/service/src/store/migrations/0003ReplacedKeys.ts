import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Keys get the id of the key that replaced them, where they were rotated. */
export async function addReplacedKeys(db: Transaction<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute()
}
