import { sql } from 'kysely'
import { createHistory } from './migrations/0001History.ts'
import { createKeys } from './migrations/0002Keys.ts'
import { addReplacedKeys } from './migrations/0003ReplacedKeys.ts'
import type { Migration, Store } from './Store.ts'
import { StoreError } from './StoreError.ts'

/** Version n of the schema is the first n of these. What has been released is never changed, only added to. */
const MIGRATIONS: readonly Migration[] = [createHistory, createKeys, addReplacedKeys]

/** The version that this release knows. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Any number: what every process that migrates this schema locks. */
const LOCK = 7_364_815

/**
 * Brings the schema up to date, in one transaction and under a lock: of processes that start together one
 * does it and the others wait.
 * @throws StoreError where the schema is newer than this process
 */
export async function migrate(store: Store, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await store.transaction(async (db) => {
    if (store.kind === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db)
    await sql`create table if not exists schema_versions (version integer primary key)`.execute(db)
    const { rows } = await sql<{ version: number | null }>`
      select max(version) as version from schema_versions`.execute(db)
    const version = rows[0]?.version ?? 0
    if (version > migrations.length) {
      throw new StoreError(
        `The store has schema version ${version}, and this release knows ${migrations.length}: run a newer release.`,
      )
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue
      await migration(db, store.kind)
      await sql`insert into schema_versions (version) values (${index + 1})`.execute(db)
    }
  })
}
