import { describeStores } from '@remit/testing/support/stores/describeStores'
import { sql } from 'kysely'
import { expect, it } from 'vitest'

describeStores('an update under which a process of an earlier release still runs', (stores) => {
  it('lets it open no session that would count for every chain', async () => {
    const signIn = stores.store.transaction((db) =>
      sql`insert into sessions (hash, subject, expires_at) values ('1', '0x01', 9)`.execute(db),
    )
    await expect(signIn).rejects.toThrow(/chain_id/)
  })
})
