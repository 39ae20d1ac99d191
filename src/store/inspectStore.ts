import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import Database from 'libsql'
import { SCHEMA_VERSION } from './migrate.ts'
import { cannotOpen } from './openStore.ts'
import { postgresDialect } from './postgres.ts'
import { StoreError } from './StoreError.ts'
import { pathOf } from './sqlite.ts'

const VERSION = 'select max(version) as version from schema_versions'

/**
 * Describes the state of a store in a sentence, and changes nothing in it.
 * @throws StoreError if the service could not start with this store
 */
export async function inspectStore(url: string): Promise<string> {
  try {
    return toSentence(url.startsWith('file:') ? sqliteVersion(pathOf(url)) : await postgresVersion(url))
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(error)
  }
}

/** `undefined` if there is no schema yet. */
function sqliteVersion(path: string): number | undefined {
  if (!existsSync(path)) {
    let folder = dirname(path)
    while (!existsSync(folder)) folder = dirname(folder)
    accessSync(folder, constants.W_OK)
    return undefined
  }
  accessSync(path, constants.W_OK)
  const database = new Database(path, { readonly: true })
  try {
    const tables = database.prepare("select 1 from sqlite_master where name = 'schema_versions'").all()
    return tables.length === 0 ? undefined : toVersion(database.prepare(VERSION).all())
  } finally {
    database.close()
  }
}

async function postgresVersion(url: string): Promise<number | undefined> {
  const db = new Kysely<unknown>({ dialect: postgresDialect(url) })
  try {
    const { rows } = await sql<{ found: unknown }>`select to_regclass('schema_versions') as found`.execute(db)
    if (rows[0]?.found == null) return undefined
    return toVersion((await sql.raw(VERSION).execute(db)).rows)
  } finally {
    await db.destroy()
  }
}

function toVersion([row]: readonly unknown[]): number | undefined {
  if (typeof row !== 'object' || row === null || !('version' in row)) return undefined
  return row.version === null ? undefined : Number(row.version)
}

function toSentence(version: number | undefined): string {
  if (version === undefined) return 'is empty: the first start makes its schema'
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      `The store has schema version ${version}, and this release knows ${SCHEMA_VERSION}: run a newer release.`,
    )
  }
  if (version === SCHEMA_VERSION) return `has schema version ${version}`
  return `has schema version ${version}: the next start brings it to ${SCHEMA_VERSION}`
}
