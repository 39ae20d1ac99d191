import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { openStore } from '../openStore.ts'
import { sqliteDialects } from '../sqlite.ts'
import type { Tables } from '../tables.ts'
import { createHistory } from './0001History.ts'
import { createKeys } from './0002Keys.ts'
import { addReplacedKeys } from './0003ReplacedKeys.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-migration-'))
const url = `file:${join(folder, 'old.db')}`
afterAll(() => rmSync(folder, { recursive: true }))

const beginIndex = sql`insert into index_chains
  (chain_id, genesis_hash, contract, first_block, source, epoch, lease_until,
   block_number, block_hash, block_parent_hash, block_timestamp, finalized_block)
  values (8453, '0x01', '0x02', 7, 'rpc', 1, 0, 900, '0x03', '0x04', 5, 800)`

it('lets an index of an earlier release begin anew, which that release cannot, and keeps all keys', async () => {
  const db = new Kysely<Tables>({ dialect: sqliteDialects(url).writer })
  await db.transaction().execute(async (old) => {
    await migrate(old, 'sqlite', { migrations: [createHistory, createKeys, addReplacedKeys] })
    await beginIndex.execute(old)
    await sql`insert into token_counts values (8453, '0x05', 3)`.execute(old)
    await sql`insert into api_keys (id, subject_id, hash, prefix, created_at)
      values ('1', 'acme', 'ab', 'svc_', 1)`.execute(old)
  })
  await db.destroy()

  const store = await openStore(url)
  try {
    expect(await store.db.selectFrom('index_chains').selectAll().execute()).toEqual([])
    expect(await store.db.selectFrom('token_counts').selectAll().execute()).toEqual([])
    expect(await store.db.selectFrom('api_keys').select('subject_id').execute()).toEqual([
      { subject_id: 'acme' },
    ])
    await expect(store.transaction((old) => beginIndex.execute(old))).rejects.toThrow('layout')
  } finally {
    await store.close()
  }
})
