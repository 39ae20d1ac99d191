import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The id of the key that replaced a rotated one. */
export async function addReplacedKeys(db: Transaction<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute()
}
