import { Kysely, type Transaction } from 'kysely'
import { migrate } from './migrate.ts'
import { postgresDialect } from './postgres.ts'
import { isReadOnly, StoreError, UnwritableError, withUnwritableError } from './StoreError.ts'
import { sqliteDialects } from './sqlite.ts'
import type { StoreKind } from './storeKind.ts'
import type { Tables } from './tables.ts'

/** For transactions that delete or derive again the rows of months. */
const LONG_STATEMENT_TIMEOUT_MS = 600_000

export type Queries = Kysely<Tables> | Transaction<Tables>

/** The database: SQLite or Postgres. Both take the same queries. */
export interface Store {
  readonly kind: StoreKind
  /** Runs single reads. */
  readonly db: Kysely<Tables>
  /** All queries of `use` see the same state of the store. `use` must wait for nothing but its queries. */
  snapshot<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /**
   * Keeps all that `use` writes, or nothing of it. `use` must wait for nothing but its queries. Throws UnwritableError where the
   * store takes no writes.
   */
  transaction<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /** As `transaction`, but each query may take ten minutes, as one that deletes months of an index does. */
  longTransaction<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Opens the store and brings its schema up to date.
 * @param url `file:…` or `postgres://…`
 * @param log is told where that waits for another process
 * @throws StoreError with a sentence for the operator. It never holds the URL.
 */
export async function openStore(url: string, log?: { info(message: string): void }): Promise<Store> {
  let store: Store | undefined
  try {
    if (!/^postgres(ql)?:\/\//.test(url)) {
      store = openSqlite(url)
      await store.transaction((db) => migrate(db, 'sqlite'))
      return store
    }
    await migratePostgres(url, () =>
      log?.info('Another process updates the schema of the store: waiting for it'),
    )
    return openPostgres(url)
  } catch (error) {
    await store?.close()
    throw error instanceof StoreError ? error : cannotOpen(error)
  }
}

/** The error of a store that cannot be opened. It names only the error code: the driver's own text may quote the URL, and with it a password. */
export function cannotOpen(error: unknown): StoreError {
  if (error instanceof UnwritableError) return new StoreError(error.message, { cause: error })
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  return new StoreError(`The store at DATABASE_URL cannot be opened (${code}).`, { cause: error })
}

/** Migrates on a connection of its own, which may be silent for as long as that takes. */
async function migratePostgres(url: string, onWait: () => void): Promise<void> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url, { statementTimeoutMs: 0 }) })
  try {
    await withUnwritableError(
      db.transaction().execute((transaction) => migrate(transaction, 'postgres', { onWait })),
    )
  } catch (error) {
    if (!(error instanceof UnwritableError && isReadOnly(error.cause))) throw error
    throw new StoreError(
      'The store is read-only, and its schema is older than this release needs: first start this release over the store that takes writes.',
      { cause: error },
    )
  } finally {
    await db.destroy()
  }
}

function openPostgres(url: string): Store {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url) })
  // Connections of its own: on the others, so long a silence means that the server has vanished.
  const long = new Kysely<Tables>({
    dialect: postgresDialect(url, { statementTimeoutMs: LONG_STATEMENT_TIMEOUT_MS }),
  })
  return {
    kind: 'postgres',
    db,
    snapshot: (use) =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(use),
    transaction: (use) => withUnwritableError(db.transaction().execute(use)),
    longTransaction: (use) => withUnwritableError(long.transaction().execute(use)),
    async close() {
      await Promise.all([db.destroy(), long.destroy()])
    },
  }
}

/** Opens two connections, so that readers and the writer never wait for each other. */
function openSqlite(url: string): Store {
  const { reader, writer } = sqliteDialects(url)
  const readers = new Kysely<Tables>({ dialect: reader })
  const writers = new Kysely<Tables>({ dialect: writer })
  const transaction: Store['transaction'] = (use) => withUnwritableError(writers.transaction().execute(use))
  return {
    kind: 'sqlite',
    db: readers,
    snapshot: (use) => readers.transaction().execute(use),
    transaction,
    longTransaction: transaction,
    async close() {
      await readers.destroy()
      await writers.destroy()
    },
  }
}
