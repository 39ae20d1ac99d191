import { sql } from 'kysely'
import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/openStore.ts'
import { type IndexSource, type Lease, LeaseLostError } from '../projection.ts'
import { blockRow, tipColumns } from './blockRow.ts'
import { CHAIN_TABLES, DERIVED_TABLES } from './chainTables.ts'

/**
 * Deletes all rows of a chain but its event log. Unlike a rollback it does not need them to be right. An import deletes the
 * log too, because it brings its own; and so does giving an import up, whose log was not checked.
 * Throws LeaseLostError; then nothing was written.
 */
export async function emptyChain(
  store: Store,
  { chainId, epoch }: Lease,
  origin: BlockRef,
  source: IndexSource,
): Promise<void> {
  await store.longTransaction(async (db) => {
    const before = await db
      .selectFrom('index_chains')
      .select('source')
      .where('chain_id', '=', chainId)
      .executeTakeFirst()
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
    const isImport = source === 'import' || before?.source === 'import'
    const emptied = CHAIN_TABLES.filter(({ outlivesIndex }) => isImport || outlivesIndex === undefined)
    for (const table of [...emptied.map(({ name }) => name), ...DERIVED_TABLES]) {
      await sql`delete from ${sql.table(table)} where chain_id = ${chainId}`.execute(db)
    }
    // A snapshot brings the blocks that are remembered.
    if (source !== 'import') await db.insertInto('index_blocks').values(blockRow(chainId, origin)).execute()
  })
}
