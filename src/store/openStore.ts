import { Kysely } from 'kysely'
import { migrate } from './migrate.ts'
import { postgresDialect } from './postgres.ts'
import type { Store } from './Store.ts'
import { StoreError } from './StoreError.ts'
import { sqliteDialects } from './sqlite.ts'
import type { Tables } from './tables.ts'

/**
 * Opens the store and brings its schema up to date.
 * @param url `file:…` or `postgres://…`
 * @throws StoreError with a sentence for the operator, which never holds the URL
 */
export async function openStore(url: string): Promise<Store> {
  let store: Store | undefined
  try {
    store = /^postgres(ql)?:\/\//.test(url) ? openPostgres(url) : openSqlite(url)
    await migrate(store)
    return store
  } catch (error) {
    await store?.close()
    throw error instanceof StoreError ? error : cannotOpen(error)
  }
}

/** The driver's own words may quote the address, and with it a password. */
export function cannotOpen(error: unknown): StoreError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  return new StoreError(`The store at DATABASE_URL cannot be opened (${code}).`, { cause: error })
}

function openPostgres(url: string): Store {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url) })
  return {
    kind: 'postgres',
    db,
    snapshot: (use) =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(use),
    transaction: (use) => db.transaction().execute(use),
    close: () => db.destroy(),
  }
}

/** Two connections: readers never wait for the writer, nor it for them. */
function openSqlite(url: string): Store {
  const { reader, writer } = sqliteDialects(url)
  const readers = new Kysely<Tables>({ dialect: reader })
  const writers = new Kysely<Tables>({ dialect: writer })
  return {
    kind: 'sqlite',
    db: readers,
    snapshot: (use) => readers.transaction().execute(use),
    transaction: (use) => writers.transaction().execute(use),
    async close() {
      await readers.destroy()
      await writers.destroy()
    },
  }
}
