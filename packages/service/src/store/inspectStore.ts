import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import Database from 'libsql'
import { SCHEMA_VERSION } from './migrate.ts'
import { cannotOpen } from './openStore.ts'
import { postgresDialect } from './postgres.ts'
import { SealedError, SecretBox } from './SecretBox.ts'
import { StoreError } from './StoreError.ts'
import { SEALED_COLUMNS } from './sealedColumns.ts'
import { pathOf } from './sqlite.ts'

// What the doctor says of a store: whether the service could start with it, and whether its secrets can be opened.

const VERSION = 'select max(version) as version from schema_versions'

/** What is sealed and still in use. */
const sealedSecrets = (now: number) =>
  SEALED_COLUMNS.map(({ table, column, usedUntil }) => {
    const isUsed = usedUntil === undefined ? '' : ` and ${usedUntil} > ${now}`
    return `select '${table} ' || id as context, ${column} as sealed from ${table} where ${column} is not null${isUsed}`
  }).join(' union all ')

type Row = Readonly<Record<string, unknown>>

/** A store that was opened to be looked at. */
interface Found {
  /** `undefined` if there is no schema yet. */
  readonly version: number | undefined
  query(text: string): Promise<readonly Row[]>
}

/**
 * Describes the state of a store in a sentence, and changes nothing in it.
 * @throws StoreError if the service could not start with this store
 */
export function inspectStore(url: string): Promise<string> {
  return withStore(url, async ({ version }) => toSentence(version))
}

/**
 * Says in a sentence whether the secrets in a store can be opened.
 * @param keys as `SecretBox` takes them
 * @param now unix milliseconds
 * @throws StoreError if they cannot
 */
export function inspectSecrets(url: string, keys: readonly string[], now: number): Promise<string> {
  return withStore(url, async ({ version, query }) => {
    // An older schema may lack the tables. A newer one is refused by `inspectStore`.
    const rows = version === SCHEMA_VERSION ? await query(sealedSecrets(now)) : []
    if (rows.length === 0) return 'has nothing to open in the store yet'
    const box = new SecretBox(keys)
    const closed = rows.filter(({ context, sealed }) => !opens(box, String(sealed), String(context)))
    if (closed.length === 0) return `opens all ${rows.length} secrets in the store`
    throw new StoreError(
      `${closed.length} of ${rows.length} secrets in the store cannot be opened: list the keys that sealed them, too.`,
    )
  })
}

function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context)
    return true
  } catch (error) {
    if (error instanceof SealedError) return false
    throw error
  }
}

async function withStore<T>(url: string, use: (found: Found) => Promise<T>): Promise<T> {
  try {
    return await (url.startsWith('file:') ? withSqlite(pathOf(url), use) : withPostgres(url, use))
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(error)
  }
}

async function withSqlite<T>(path: string, use: (found: Found) => Promise<T>): Promise<T> {
  if (!existsSync(path)) {
    // The first start makes the file: the nearest folder that exists must be writable.
    let folder = dirname(path)
    while (!existsSync(folder)) folder = dirname(folder)
    accessSync(folder, constants.W_OK)
    return use({ version: undefined, query: async () => [] })
  }
  accessSync(path, constants.W_OK)
  const database = new Database(path, { readonly: true })
  // Safe: without `raw`, rows are objects by the names of their columns.
  const query = async (text: string) => database.prepare(text).all() as Row[]
  try {
    const tables = await query("select 1 from sqlite_master where name = 'schema_versions'")
    return await use({ version: tables.length === 0 ? undefined : toVersion(await query(VERSION)), query })
  } finally {
    database.close()
  }
}

async function withPostgres<T>(url: string, use: (found: Found) => Promise<T>): Promise<T> {
  const db = new Kysely<unknown>({ dialect: postgresDialect(url) })
  const query = async (text: string) => (await sql.raw<Row>(text).execute(db)).rows
  try {
    const [row] = await query("select to_regclass('schema_versions') as found")
    return await use({ version: row?.found == null ? undefined : toVersion(await query(VERSION)), query })
  } finally {
    await db.destroy()
  }
}

function toVersion([row]: readonly Row[]): number | undefined {
  return row?.version == null ? undefined : Number(row.version)
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
