import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** What a process learns of its nodes stays in its memory. */
export async function dropNodeLimits(db: Transaction<Tables>): Promise<void> {
  await db.schema.dropTable('node_limits').execute()
}
