import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Dialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { StoreError } from './StoreError.ts'

/** A second process on the same file waits so long for the first to finish writing. */
const BUSY_TIMEOUT_MS = 5_000

/** @param url `file:data/remit.db`, `file:///var/lib/remit.db` */
export function sqliteDialects(url: string): { reader: Dialect; writer: Dialect } {
  const path = pathOf(url)
  mkdirSync(dirname(path), { recursive: true })
  // The writer first: only it may turn a new file to write-ahead logging.
  return { writer: dialect(path), reader: dialect(path) }
}

function pathOf(url: string): string {
  if (!url.startsWith('file:')) throw new StoreError('DATABASE_URL must begin with file: or postgres://.')
  return url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length)
}

function dialect(path: string): Dialect {
  return new SqliteDialect({
    database: async () => {
      const database = new Database(path)
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
      database.exec('pragma journal_mode = wal')
      // Safe in this mode against the end of the process at any moment; a power cut may take the last commits.
      database.exec('pragma synchronous = normal')
      return database
    },
  })
}
