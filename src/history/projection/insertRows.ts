import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { inChunks } from './inChunks.ts'
import type { StepRows } from './stepRows.ts'

/** Inserts what was logged, and subscriptions as their creations and cancellations say. */
export async function insertRows(db: Transaction<Tables>, chainId: number, rows: StepRows): Promise<void> {
  await inChunks(rows.events, (chunk) => db.insertInto('events').values(chunk).execute())
  await inChunks(rows.detailsLogs, (chunk) => db.insertInto('details_logs').values(chunk).execute())
  await inChunks(rows.profileLogs, (chunk) => db.insertInto('profile_logs').values(chunk).execute())
  await inChunks(rows.subscriptions, (chunk) => db.insertInto('subscriptions').values(chunk).execute())
  for (const { id, blockNumber } of rows.cancellations) {
    await db
      .updateTable('subscriptions')
      .set({ cancelled: 1, cancelled_block: blockNumber })
      .where('chain_id', '=', chainId)
      .where('id', '=', id)
      .where('cancelled', '=', 0)
      .execute()
  }
}
