import { describeStores } from '@remit/testing/support/stores/describeStores'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { addKeyAccounts } from './0013KeyAccounts.ts'

describeStores('an update of a store with rotated keys', (stores) => {
  it('has each key count with the first of its line', async () => {
    const accounts = await stores.store.transaction(async (db) => {
      await sql`alter table api_keys drop column account`.execute(db)
      for (const [id, replacedBy] of [
        ['c', null],
        ['alone', null],
        ['b', 'c'],
        ['a', 'b'],
      ]) {
        await sql`insert into api_keys (id, subject_id, hash, prefix, created_at, replaced_by)
          values (${id}, 'ada', ${id}, 'svc_', 1, ${replacedBy})`.execute(db)
      }
      await addKeyAccounts(db)
      return db.selectFrom('api_keys').select(['id', 'account']).orderBy('id').execute()
    })
    expect(accounts).toEqual([
      { id: 'a', account: 'a' },
      { id: 'alone', account: 'alone' },
      { id: 'b', account: 'a' },
      { id: 'c', account: 'a' },
    ])
  })
})
