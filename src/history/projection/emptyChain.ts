import { sql } from 'kysely'
import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/openStore.ts'
import { type IndexSource, type Lease, LeaseLostError } from '../projection.ts'
import { blockRow, tipColumns } from './blockRow.ts'
import { CHAIN_TABLES } from './chainTables.ts'

/**
 * Deletes all rows of a chain but its event log. Unlike a rollback it does not need them to be right.
 * Throws LeaseLostError; then nothing was written.
 */
export async function emptyChain(
  store: Store,
  { chainId, epoch }: Lease,
  origin: BlockRef,
  source: IndexSource,
): Promise<void> {
  await store.longTransaction(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('index_chains')
      .set({
        ...tipColumns(origin),
        finalized_block: origin.number,
        source,
        alarm: null,
        approvals_read_to: null,
      })
      .where('chain_id', '=', chainId)
      .where('epoch', '=', epoch)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
    for (const table of CHAIN_TABLES) {
      await sql`delete from ${sql.table(table)} where chain_id = ${chainId}`.execute(db)
    }
    await db.insertInto('index_blocks').values(blockRow(chainId, origin)).execute()
  })
}
