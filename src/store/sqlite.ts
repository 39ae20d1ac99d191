import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Dialect, SqliteDialect, SqliteDriver } from 'kysely'
import Database from 'libsql'
import { StoreError } from './StoreError.ts'

/**
 * How long the database itself waits for another writer. It blocks the whole process meanwhile, so the long
 * wait is done here, where others can go on.
 */
const BUSY_TIMEOUT_MS = 20
const MOST_WAIT_MS = 10_000
const RETRY_MS = 10

/** @param url `file:data/remit.db`, `file:///var/lib/remit.db` */
export function sqliteDialects(url: string): { reader: Dialect; writer: Dialect } {
  const path = pathOf(url)
  mkdirSync(dirname(path), { recursive: true })
  const writer = open(path)
  // 64 MB instead of 2: rows of an index come at random places, and would be read from the file each time.
  writer.exec('pragma cache_size = -65536')
  return { reader: new SqliteDialect({ database: open(path) }), writer: new WriterDialect(writer) }
}

/** The path of a `file:` URL. */
export function pathOf(url: string): string {
  if (!url.startsWith('file:')) throw new StoreError('DATABASE_URL must begin with file: or postgres://.')
  return url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length)
}

function open(path: string) {
  // It holds keys' hashes and whose they are. SQLite gives the files beside it the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path)
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  database.exec('pragma journal_mode = wal')
  // Safe in this mode against the end of the process at any moment; a power cut may take the last commits.
  database.exec('pragma synchronous = normal')
  return database
}

class WriterDialect extends SqliteDialect {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver() {
    return new WriterDriver(this.#database)
  }
}

/** Takes the file's one write lock at the start of a transaction: taken later, it may be refused at once. */
class WriterDriver extends SqliteDriver {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }

  override async beginTransaction(): Promise<void> {
    const deadline = performance.now() + MOST_WAIT_MS
    for (;;) {
      try {
        // Not as a prepared statement: one that was refused stays open, and stands in the way of every commit.
        this.#database.exec('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
