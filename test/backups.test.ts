import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { PassKeys } from '@remit/service/testing/access/passes/Passes'
import { CHAIN_TABLES } from '@remit/service/testing/history/projection/emptyChain'
import { openStore, type Store } from '@remit/service/testing/store/openStore'
import { SecretBox } from '@remit/service/testing/store/SecretBox'
import { ServiceKey } from '@remit/service/testing/webhooks/signing/signatures'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresIsInstalled, postgresPrograms, usePostgres } from './support/stores/postgres.ts'
import { Receiver } from './support/webhooks/Receiver.ts'
import {
  anyChallenge,
  listeningTo,
  startDelivering,
  TEST_SECRETS_KEY,
} from './support/webhooks/startDelivering.ts'

const guide = readFileSync(new URL('../docs/run.md', import.meta.url), 'utf8')

function lineWith(words: RegExp): string {
  const found = guide
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => words.test(line))
  if (found.length !== 1) throw new Error(`the guide has ${found.length} lines with ${words}`)
  return String(found[0])
}

describe.skipIf(!postgresIsInstalled)('the guide’s backups of Postgres', () => {
  const postgres = usePostgres()
  const folder = mkdtempSync(join(tmpdir(), 'remit-backups-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function follow(line: string, databaseUrl: string): void {
    const PATH = [postgresPrograms, process.env.PATH].join(delimiter)
    execFileSync('sh', ['-c', line], {
      cwd: folder,
      env: { ...process.env, PATH, DATABASE_URL: databaseUrl },
    })
  }

  it.each([
    ['the whole database', /^pg_dump .*remit\.dump/, /^pg_restore .*remit\.dump/],
    ['all that the chain cannot tell again', /^pg_dump .*small\.dump/, /^pg_restore .*small\.dump/],
    ['an index without what is a service’s own', /^pg_dump .*index\.dump/, /^pg_restore .*index\.dump/],
  ])('bring back %s', async (_, dump, restore) => {
    const from = await postgres.createDatabase()
    const before = await openStore(from)
    await fill(before)
    const keys = await keysOf(before)
    const expected = await contents(before)
    follow(lineWith(dump), from)
    await before.close()

    const to = await postgres.createDatabase()
    follow(lineWith(restore), to)
    const after = await openStore(to)
    const left = leftOutBy(dump)
    expect(await contents(after)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([name, rows]) => [name, left.includes(name) ? [] : rows]),
      ),
    )
    if (!left.includes('pass_keys')) expect(await keysOf(after)).toEqual(keys)
    await after.close()
  })

  it('leave out no table but those that are named', async () => {
    expect(leftOutBy(/^pg_dump .*small\.dump/).toSorted()).toEqual(CHAIN_TABLES.toSorted())
    const store = await openStore(await postgres.createDatabase())
    const ofAnIndex = ['schema_versions', 'index_chains', 'event_log', ...CHAIN_TABLES]
    const all = Object.keys(await contents(store))
    await store.close()
    expect(leftOutBy(/^pg_dump .*index\.dump/).toSorted()).toEqual(
      all.filter((name) => !ofAnIndex.includes(name)).toSorted(),
    )
  })
})

/** The tables that a backup of the guide leaves out. */
function leftOutBy(dump: RegExp): string[] {
  const listed = [...lineWith(dump).matchAll(/--exclude-table-data='([^']*)'/g)]
  return listed.flatMap(([, tables = '']) => tables.split('|'))
}

/** A key, a webhook with its cursor, the event that this points at, and a row of the index. */
async function fill(store: Store): Promise<void> {
  const receiver = await new Receiver().start()
  const { webhooks } = startDelivering(store)
  await webhooks.create('ada', listeningTo(receiver.url('/')), anyChallenge)
  await receiver.close()
  await sql`insert into token_counts (chain_id, token, subscriptions) values (8453, '0xab', 1)`.execute(
    store.db,
  )
  await sql`insert into event_log (chain_id, sequence, id, type, block_number, block_hash, timestamp, facts)
    values (8453, 7, 'evt_7', 1, 9, '0x09', 1, '{}')`.execute(store.db)
  await sql`insert into webhook_routes (chain_id, finality, sequence, version) values (8453, 'seen', 7, 0)`.execute(
    store.db,
  )
  await sql`insert into api_keys (id, subject_id, hash, prefix, created_at) values ('a', 'ada', 'h', 'svc_', 1)`.execute(
    store.db,
  )
}

/** The public keys, as a process finds them that has the same SECRETS_KEY. It makes those that are missing. */
async function keysOf(store: Store): Promise<unknown> {
  const box = new SecretBox([TEST_SECRETS_KEY])
  const log = { info() {}, warn() {}, error() {} }
  const passKeys = new PassKeys({ store, box, log, now: Date.now })
  return [(await new ServiceKey(store, box).get()).publicKey, (await passKeys.signing()).id]
}

async function contents(store: Store): Promise<Record<string, unknown[]>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(store.db)
  const tables: Record<string, unknown[]> = {}
  for (const { name } of rows)
    tables[name] = (await sql`select * from ${sql.table(name)}`.execute(store.db)).rows
  return tables
}
