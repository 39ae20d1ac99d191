import type { Migration } from '../Store.ts'

/** A key that was rotated knows the one in its place. */
export const addReplacedKeys: Migration = async (db) => {
  await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute()
}
