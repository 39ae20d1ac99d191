import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

export type Queries = Kysely<Tables> | Transaction<Tables>

/** The database: SQLite or Postgres, with one set of queries. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** For single reads. */
  readonly db: Kysely<Tables>
  /** All queries of `use` see one moment of the store. Never wait for anything else in it. */
  snapshot<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /** All that `use` writes is kept, or none. Never wait for anything else in it. */
  transaction<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** One step from a version of the schema to the next. */
export type Migration = (db: Transaction<Tables>, kind: Store['kind']) => Promise<void>
