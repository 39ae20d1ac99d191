import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Drops the limits of nodes: what a process learns of its nodes now stays in its memory. */
export async function dropNodeLimits(db: Transaction<Tables>): Promise<void> {
  await db.schema.dropTable('node_limits').execute()
}
