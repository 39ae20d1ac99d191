import { describeStores } from '@remit/testing/support/stores/describeStores'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { refuseHalfImports } from './0015NoImports.ts'

describeStores('an update of a store', (stores) => {
  it('is refused while an index is read from a file, and says how to go on', async () => {
    const { store } = stores
    await sql`insert into index_chains (chain_id, layout, genesis_hash, contract, first_block, source, epoch, lease_until,
        block_number, block_hash, block_parent_hash, block_timestamp, finalized_block, log_sequence)
      values (8453, 3, '0x1', '0x2', 1, 'import', 1, 0, 1, '0x3', '0x4', 1, 1, 0)`.execute(store.db)
    await expect(store.transaction(refuseHalfImports)).rejects.toThrow('npm run index -- --rebuild 8453')
    await sql`update index_chains set source = 'rpc'`.execute(store.db)
    await store.transaction(refuseHalfImports)
  })
})
