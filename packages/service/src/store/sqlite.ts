import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type DatabaseConnection,
  type Dialect,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'
import { StoreError } from './StoreError.ts'

/**
 * How long SQLite itself waits for another writer. That wait blocks the whole process, so it is short, and the
 * long wait is a loop below, which lets other work go on.
 */
const BUSY_TIMEOUT_MS = 20
/** How long a transaction waits for the write lock in all. No write of ours holds it for so long. */
const MOST_WAIT_MS = 10_000
const RETRY_MS = 10
/** A connection is asked some hundred different statements. */
const MOST_STATEMENTS = 500

/** Opens a SQLite file twice, to read and to write. @param url `file:data/remit.db`, `file:///var/lib/remit.db` */
export function sqliteDialects(url: string): { reader: Dialect; writer: Dialect } {
  const path = pathOf(url)
  mkdirSync(dirname(path), { recursive: true })
  const writer = open(path)
  // 64 MB instead of 2. Rows are written at random places of the indexes, whose pages would be read from the file
  // each time.
  writer.exec('pragma cache_size = -65536')
  const dialect = new SqliteDialect({ database: new PreparedDatabase(writer) })
  dialect.createDriver = () => new WriterDriver(writer)
  return {
    reader: new SqliteDialect({ database: new PreparedDatabase(open(path)) }),
    writer: dialect,
  }
}

/** The path of a `file:` URL. */
export function pathOf(url: string): string {
  if (!url.startsWith('file:')) throw new StoreError('DATABASE_URL must begin with file: or postgres://.')
  return url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length)
}

function open(path: string) {
  // Readable by its owner only: it holds the hashes of keys and who owns them. SQLite gives the files beside it
  // the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path)
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  database.exec('pragma journal_mode = wal')
  // With WAL this loses nothing when the process is killed. A power cut may lose the last commits.
  database.exec('pragma synchronous = normal')
  // Up to 32 MB instead of 4 wait in the log beside the file: pages that are written often are copied into it less often.
  database.exec('pragma wal_autocheckpoint = 8000')
  return database
}

/** A connection that prepares each statement once: preparing a search takes longer than running it. */
class PreparedDatabase implements SqliteDatabase {
  readonly #database: Database.Database
  readonly #statements = new LRUCache<string, SqliteStatement>({ max: MOST_STATEMENTS })

  constructor(database: Database.Database) {
    this.#database = database
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.#database.prepare(sql)
    const forgetting = <Result>(run: () => Result): Result => {
      try {
        return run()
      } catch (error) {
        // A statement that failed stays open until it is collected as garbage, and holds what it has locked.
        this.#statements.delete(sql)
        throw error
      }
    }
    const statement: SqliteStatement = {
      reader: prepared.reader,
      all: (parameters) => forgetting(() => prepared.all(parameters)),
      run: (parameters) => forgetting(() => prepared.run(parameters)),
      iterate: (parameters) => this.#database.prepare(sql).iterate(parameters),
    }
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

/** Takes the file's write lock at the start of a transaction. Taken later, it may be refused without a wait. */
class WriterDriver extends SqliteDriver {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database: new PreparedDatabase(database) })
    this.#database = database
  }

  override async beginTransaction(): Promise<void> {
    const deadline = performance.now() + MOST_WAIT_MS
    for (;;) {
      try {
        // Not a prepared statement: a refused one stays open, and then every commit fails.
        this.#database.exec('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
        await sleep(RETRY_MS)
      }
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back by itself where the disk is full. A second time would fail, and hide why.
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
