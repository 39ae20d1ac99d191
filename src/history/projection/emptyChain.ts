import { sql } from 'kysely'
import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/Store.ts'
import { type Lease, LeaseLostError } from '../projection.ts'
import { blockRow, checkpointColumns } from './blockRow.ts'

/** Everything that is known of a chain but its row. */
const TABLES = [
  'index_blocks',
  'lost_blocks',
  'events',
  'details_logs',
  'profile_logs',
  'subscriptions',
  'memberships',
  'account_counts',
  'subscriber_counts',
  'token_counts',
] as const

const TIMEOUT_MS = 600_000

/**
 * Takes all rows of a chain away, whatever they are: unlike a rollback it asks none of them what it counted.
 * Throws LeaseLostError, with nothing written.
 */
export async function emptyChain(store: Store, { chainId, epoch }: Lease, origin: BlockRef): Promise<void> {
  await store.transaction(async (db) => {
    if (store.kind === 'postgres') {
      await sql`set local statement_timeout = ${sql.lit(TIMEOUT_MS)}`.execute(db)
    }
    const { numUpdatedRows } = await db
      .updateTable('index_chains')
      .set({ ...checkpointColumns(origin), finalized_block: origin.number, alarm: null })
      .where('chain_id', '=', chainId)
      .where('epoch', '=', epoch)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
    for (const table of TABLES) await db.deleteFrom(table).where('chain_id', '=', chainId).execute()
    await db.insertInto('index_blocks').values(blockRow(chainId, origin)).execute()
  })
}
