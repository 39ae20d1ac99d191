import { type Kysely, PostgresAdapter } from 'kysely'
import type { Tables } from './tables.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** Which database answers. For the few queries that are not the same in both. */
export function storeKindOf(db: Kysely<Tables>): StoreKind {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
}
