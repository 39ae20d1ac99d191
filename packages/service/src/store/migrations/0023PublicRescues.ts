import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** The index for the public permits of all providers, newest first. */
export async function indexPublicRescues(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createIndex('rescues_in_public')
    .on('rescues')
    .columns(['chain_id', 'is_public', 'created_at'])
    .execute()
}
