import { sql } from 'kysely'
import type { BlockRef } from '../../core/ports/history.ts'
import type { Store } from '../../store/openStore.ts'
import { type Lease, LeaseLostError } from '../projection.ts'
import { blockRow, tipColumns } from './blockRow.ts'

/** All tables that hold a chain's data, except the one with its row. */
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
 * Deletes all rows of a chain. Unlike a rollback it does not need them to be right.
 * Throws LeaseLostError; then nothing was written.
 */
export async function emptyChain(store: Store, { chainId, epoch }: Lease, origin: BlockRef): Promise<void> {
  await store.transaction(async (db) => {
    if (store.kind === 'postgres') {
      await sql`set local statement_timeout = ${sql.lit(TIMEOUT_MS)}`.execute(db)
    }
    const { numUpdatedRows } = await db
      .updateTable('index_chains')
      .set({ ...tipColumns(origin), finalized_block: origin.number, alarm: null })
      .where('chain_id', '=', chainId)
      .where('epoch', '=', epoch)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLostError(`the lease of chain ${chainId} is another's now`)
    for (const table of TABLES) await db.deleteFrom(table).where('chain_id', '=', chainId).execute()
    await db.insertInto('index_blocks').values(blockRow(chainId, origin)).execute()
  })
}
