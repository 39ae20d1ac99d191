import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresIsInstalled, usePostgres } from '@remit/testing/support/stores/postgres'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { migrate } from './migrate.ts'
import { openStore, type Store } from './openStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const sqlite = async () => {
  files += 1
  return `file:${join(folder, `${files}.db`)}`
}

const key = {
  id: 'a',
  subject_id: 's',
  label: null,
  hash: 'h',
  prefix: 'svc_',
  created_at: 1_800_000_000_000,
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
  account: null,
}

/** Fills the disk, as far as this store sees it. */
async function fillDisk(store: Store): Promise<void> {
  if (store.kind === 'sqlite') {
    // Below what it has: this connection, which is the one that writes, gets no more pages.
    await store.transaction((db) => sql`pragma max_page_count = 1`.execute(db))
    return
  }
  await store.transaction(async (db) => {
    await sql`create function refuse() returns trigger language plpgsql as
      'begin raise sqlstate ''53100'' using message = ''could not extend file''; end'`.execute(db)
    await sql`create trigger disk_is_full before insert on api_keys execute function refuse()`.execute(db)
  })
}

function storeSuite(createUrl: () => Promise<string>) {
  it('says that it cannot be written where its disk is full, and is read all the same', async () => {
    const store = await openStore(await createUrl())
    await fillDisk(store)
    const rows = Array.from({ length: 2_000 }, (_, row) => ({ ...key, id: `${row}`, hash: `${row}` }))
    const write = store.transaction(async (db) => {
      for (const row of rows) await db.insertInto('api_keys').values(row).execute()
    })
    await expect(write).rejects.toMatchObject({
      name: 'UnwritableError',
      message: 'The store cannot be written: its disk is full.',
    })
    expect(await store.db.selectFrom('api_keys').select('id').execute()).toEqual([])
    await store.close()
  })

  it('is migrated once by processes that open it together', async () => {
    const url = await createUrl()
    const stores = await Promise.all([openStore(url), openStore(url), openStore(url)])
    for (const store of stores) {
      expect(await store.db.selectFrom('api_keys').selectAll().execute()).toEqual([])
      await store.close()
    }
  })

  it('refuses a schema that is newer than this release', async () => {
    const store = await openStore(await createUrl())
    await expect(store.transaction((db) => migrate(db, store.kind, { migrations: [] }))).rejects.toThrow(
      'run a newer release',
    )
    await store.close()
  })

  it('keeps numbers as numbers, and all of a transaction or nothing', async () => {
    const store = await openStore(await createUrl())
    await store.transaction((db) => db.insertInto('api_keys').values(key).execute())
    const failing = store.transaction(async (db) => {
      await db
        .insertInto('api_keys')
        .values({ ...key, id: 'b', hash: 'other' })
        .execute()
      throw new Error('half way')
    })
    await expect(failing).rejects.toThrow('half way')
    expect(await store.db.selectFrom('api_keys').selectAll().execute()).toEqual([key])
    await store.close()
  })

  it('shows all queries of a snapshot the same state', async () => {
    const store = await openStore(await createUrl())
    const counts = await store.snapshot(async (db) => {
      const count = () => db.selectFrom('api_keys').select('id').execute()
      const before = await count()
      await store.transaction((writer) => writer.insertInto('api_keys').values(key).execute())
      return [before.length, (await count()).length]
    })
    expect(counts).toEqual([0, 0])
    expect(await store.db.selectFrom('api_keys').select('id').execute()).toHaveLength(1)
    await store.close()
  })
}

describe('a store that cannot be opened', () => {
  it('is refused in a sentence that holds no password', async () => {
    const refused = openStore('postgres://somebody:hidden@127.0.0.1:1/remit')
    await expect(refused).rejects.toThrow('The store at DATABASE_URL cannot be opened (ECONNREFUSED).')
  })

  it('is refused if its folder cannot be created', async () => {
    await expect(openStore('file:/dev/null/remit.db')).rejects.toThrow('cannot be opened (E')
  })
})

describe('a store in SQLite', () => {
  storeSuite(sqlite)

  it('is readable by nobody else, the files beside it included', async () => {
    const name = 'private.db'
    const store = await openStore(`file:${join(folder, name)}`)
    await store.transaction((db) => db.insertInto('api_keys').values(key).execute())
    const files = readdirSync(folder).filter((file) => file.startsWith(name))
    expect(files.toSorted()).toEqual([name, `${name}-shm`, `${name}-wal`])
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    await store.close()
  })
})

describe.skipIf(!postgresIsInstalled)('a store in Postgres', () => {
  const postgres = usePostgres()
  storeSuite(() => postgres.createDatabase())

  it('is opened once another process has updated its schema, however long that takes', async () => {
    const url = new URL(await postgres.createDatabase())
    // As a database may be set up. The limit of this service's own connections takes the same way.
    url.searchParams.set('options', '-c statement_timeout=300')
    const updating = await openStore(url.href)
    await updating.transaction(async (db) => {
      await sql`drop schema public cascade`.execute(db)
      await sql`create schema public`.execute(db)
    })
    const said: string[] = []
    const log = { info: (message: string) => void said.push(message) }
    let opened: Promise<Store> | undefined
    await updating.longTransaction(async (db) => {
      await migrate(db, 'postgres')
      opened = openStore(url.href, log)
      await expect.poll(() => said).toHaveLength(1)
      await sql`select pg_sleep(1)`.execute(db)
    })
    await (await opened)?.close()
    expect(said).toEqual(['Another process updates the schema of the store: waiting for it'])
    await updating.close()
  })

  it('is opened where it is read-only, and what it lacks then is a sentence', async () => {
    const url = new URL(await postgres.createDatabase())
    const empty = new URL(await postgres.createDatabase())
    const made = await openStore(url.href)
    await made.close()
    for (const one of [url, empty]) one.searchParams.set('options', '-c default_transaction_read_only=on')
    const store = await openStore(url.href)
    expect(await store.db.selectFrom('api_keys').select('id').execute()).toEqual([])
    await store.close()
    await expect(openStore(empty.href)).rejects.toThrow(
      'The store is read-only, and its schema is older than this release needs',
    )
  })

  it('gives others what a process has locked that stands still in the middle of a transaction', async () => {
    const url = await postgres.createDatabase()
    const [stands, other] = [await openStore(url), await openStore(url)]
    const insert = (store: Store) =>
      store.transaction((db) => db.insertInto('api_keys').values(key).execute())
    let wake: (() => void) | undefined
    const still = stands.transaction(async (db) => {
      await db.insertInto('api_keys').values(key).execute()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      await db.selectFrom('api_keys').select('id').execute()
    })
    await expect.poll(() => wake).toBeDefined()
    // Of the same id, so that it waits for what the other one becomes.
    await insert(other)
    wake?.()
    await expect(still).rejects.toThrow()
    expect(await stands.db.selectFrom('api_keys').select('id').execute()).toHaveLength(1)
    await Promise.all([stands.close(), other.close()])
  }, 20_000)

  it('outlives a server that is killed between two queries of a transaction', async () => {
    const store = await openStore(await postgres.createDatabase())
    const broken = store.transaction(async (db) => {
      await db.insertInto('api_keys').values(key).execute()
      await postgres.kill()
      await db.selectFrom('api_keys').select('id').execute()
    })
    await expect(broken).rejects.toThrow()
    await postgres.restart()
    await expect
      .poll(() =>
        store.db
          .selectFrom('api_keys')
          .select('id')
          .execute()
          .catch(() => null),
      )
      .toEqual([])
    await store.close()
  }, 20_000)
})
