import { describeStores } from '@remit/testing/support/stores/describeStores'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { PassKeys } from '../access/passes/Passes.ts'
import { contextOf, secretsOf } from '../webhooks/endpoints/rows.ts'
import { ServiceKey } from '../webhooks/signing/signatures.ts'
import { inspectSecrets } from './inspectStore.ts'
import type { Store } from './openStore.ts'
import { resealSecrets } from './resealSecrets.ts'
import { SecretBox } from './SecretBox.ts'
import type { WebhookEndpointsTable } from './tables.ts'

const [OLD, NEW, LOST] = ['11'.repeat(32), '22'.repeat(32), '33'.repeat(32)]
const NOW = Date.UTC(2026, 0, 1)
const DAY = 86_400_000
const log = { info: () => {}, warn: () => {}, error: () => {} }

function endpoint(id: string, secret: string, old: string | null): WebhookEndpointsTable {
  const nothing = { description: null, chain_id: null, types: null, subscription_id: null, provider: null }
  const idle = { paused_at: null, paused_reason: null, delivered_at: null, failing_since: null, due_at: null }
  return {
    id,
    ...nothing,
    ...idle,
    subject_id: 'ada',
    url: 'https://shop.example/hook',
    account: null,
    finality: 'seen',
    begins: '{}',
    secret,
    old_secret: old,
    old_secret_until: old === null ? null : NOW - 1,
    created_at: NOW,
    failures: 0,
    waits_since: null,
    turn: 0,
    claimed: 0,
    woken: 0,
    version: 0,
  }
}

/** Everything in the store that looks sealed, in whatever table and column it is. */
async function sealedTexts({ kind, db }: Store): Promise<string[]> {
  const list =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
      : sql<{
          name: string
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`
  const found: string[] = []
  for (const { name } of (await list.execute(db)).rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const cells = rows.flatMap((row) => Object.values(row))
    found.push(
      ...cells.filter((cell) => typeof cell === 'string' && /^1\.[0-9a-f]{8}\./.test(cell)).map(String),
    )
  }
  return found
}

/** A store with one of everything that is sealed: in use, rotated, and run out. */
async function fill(store: Store): Promise<string> {
  const box = new SecretBox([OLD])
  const { publicKey } = await new ServiceKey(store, box).get()
  const rows = ['wh_a', 'wh_b', 'wh_c'].map((id) => {
    const sealed = (secret: string) => box.seal(secret, contextOf(id))
    return endpoint(id, sealed(`secret of ${id}`), id === 'wh_b' ? sealed('the one before') : null)
  })
  await store.db.insertInto('webhook_endpoints').values(rows).execute()
  const passes = new PassKeys({ store, box, log, now: () => NOW })
  await passes.signing()
  // One that signs no more, and is published on.
  await store.db
    .updateTable('pass_keys')
    .set({ signs_until: NOW - DAY })
    .execute()
  await new PassKeys({ store, box, log, now: () => NOW }).signing()
  return publicKey
}

async function empty({ db }: Store): Promise<void> {
  await db.deleteFrom('webhook_endpoints').execute()
  await db.deleteFrom('pass_keys').execute()
  await db.updateTable('webhook_service').set({ private_key: null }).execute()
}

describeStores('sealing secrets anew', (stores) => {
  it('leaves nothing that the old key opens, and everything as it was to the new one', async () => {
    const { store, url } = stores
    const publicKey = await fill(store)
    const before = await sealedTexts(store)
    expect(before).toHaveLength(7)
    expect(await resealSecrets(store, new SecretBox([NEW, OLD]), 2)).toBe(before.length)

    const after = await sealedTexts(store)
    expect(after).toHaveLength(before.length)
    const prefix = new SecretBox([NEW]).seal('', '').slice(0, 11)
    expect(after.filter((text) => !text.startsWith(prefix))).toEqual([])
    await expect(inspectSecrets(url, [OLD], NOW)).rejects.toThrow('cannot be opened')
    expect(await inspectSecrets(url, [NEW], NOW)).toMatch(/^opens all/)

    const box = new SecretBox([NEW])
    expect((await new ServiceKey(store, box).get()).publicKey).toBe(publicKey)
    const rows = await store.db.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute()
    expect(rows.map((row) => secretsOf(box, { ...row, old_secret_until: NOW + 1 }, NOW))).toEqual([
      ['secret of wh_a'],
      ['secret of wh_b', 'the one before'],
      ['secret of wh_c'],
    ])
    expect(await resealSecrets(store, new SecretBox([NEW, OLD]))).toBe(0)
    await empty(store)
  })

  it('opens with both keys where it breaks off, wherever that is, and goes on when it is run again', async () => {
    const { store, url } = stores
    await fill(store)
    const both = [NEW, OLD]
    for (const writes of [1, 3, 2]) {
      let left = writes
      const breaking: Store = {
        ...store,
        transaction: async (use) => {
          if (left-- === 0) throw new Error('killed')
          return store.transaction(use)
        },
      }
      await expect(resealSecrets(breaking, new SecretBox(both))).rejects.toThrow('killed')
      expect(await inspectSecrets(url, both, NOW)).toMatch(/^opens all/)
    }
    expect(await resealSecrets(store, new SecretBox(both))).toBe(1)
    expect(await inspectSecrets(url, [NEW], NOW)).toMatch(/^opens all/)
    await empty(store)
  })

  it('says how many no listed key opens, and seals the others', async () => {
    const { store } = stores
    await fill(store)
    const lost = new SecretBox([LOST]).seal('lost', contextOf('wh_b'))
    await store.db.updateTable('webhook_endpoints').set({ secret: lost }).where('id', '=', 'wh_b').execute()
    await expect(resealSecrets(store, new SecretBox([NEW, OLD]))).rejects.toThrow(
      '1 secrets in the store were left as they are: list in SECRETS_KEY the keys that sealed them, too. 6 were sealed with its first key.',
    )
    await empty(store)
  })

  it('overwrites nothing that was rotated meanwhile', async () => {
    const { store } = stores
    await fill(store)
    const rotated = new SecretBox([OLD]).seal('rotated', contextOf('wh_a'))
    let isRotated = false
    const racing: Store = {
      ...store,
      transaction: async (use) => {
        if (!isRotated) {
          isRotated = true
          await store.db
            .updateTable('webhook_endpoints')
            .set((row) => ({ secret: rotated, old_secret: row.ref('secret') }))
            .where('id', '=', 'wh_a')
            .execute()
        }
        return store.transaction(use)
      },
    }
    await resealSecrets(racing, new SecretBox([NEW, OLD]))
    const row = await store.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', 'wh_a')
      .executeTakeFirstOrThrow()
    const secrets = secretsOf(new SecretBox([NEW]), { ...row, old_secret_until: NOW + 1 }, NOW)
    expect(secrets).toEqual(['rotated', 'secret of wh_a'])
    await empty(store)
  })
})
