import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'
import type { StepRows } from './stepRows.ts'

/** Inserts what was logged, and subscriptions as their creations and cancellations say. */
export async function insertRows(db: Transaction<Tables>, chainId: number, rows: StepRows): Promise<void> {
  await inChunks(rows.events, (chunk) => db.insertInto('events').values(chunk).execute())
  await inChunks(rows.detailsLogs, (chunk) => db.insertInto('details_logs').values(chunk).execute())
  await inChunks(rows.profileLogs, (chunk) => db.insertInto('profile_logs').values(chunk).execute())
  await inChunks(rows.subscriptions, (chunk) => db.insertInto('subscriptions').values(chunk).execute())
  await cancel(db, chainId, rows.cancellations)
}

/** The contract lets a subscription be cancelled once; were there two logs of it, the first would count. */
async function cancel(
  db: Transaction<Tables>,
  chainId: number,
  cancellations: StepRows['cancellations'],
): Promise<void> {
  const first = new Map(cancellations.toReversed().map((row) => [row.id, row]))
  await inChunks([...first.values()], (chunk) => {
    const pairs = chunk.map(({ id, blockNumber }) => sql`(${id}, ${blockNumber})`)
    return (
      db
        .updateTable('subscriptions')
        // Both databases call the columns of such a list column1 and column2.
        .from(sql<{ column1: string; column2: number }>`(values ${sql.join(pairs)})`.as('given'))
        .set({ cancelled: 1, cancelled_block: sql<number>`cast(given.column2 as bigint)` })
        .where('subscriptions.chain_id', '=', chainId)
        .whereRef('subscriptions.id', '=', 'given.column1')
        .where('subscriptions.cancelled', '=', 0)
        .execute()
    )
  })
}
