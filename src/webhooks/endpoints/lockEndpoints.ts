import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'

/**
 * Locks what events are handed out by, until the transaction ends, and says which version of the endpoints it has.
 *
 * So an endpoint is made either before a batch of events is handed out, or after it, and hears all that comes then. Who
 * changes several rows of endpoints or deliveries takes it first, so that no two wait for each other's rows.
 */
export async function lockEndpoints(db: Transaction<Tables>): Promise<number> {
  const { version } = await db
    .updateTable('webhook_service')
    .set((row) => ({ version: row.ref('version') }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/**
 * As `lockEndpoints`, and tells all processes that hand out events to read the endpoints again. Resolves with the new
 * version.
 */
export async function changeEndpoints(db: Transaction<Tables>): Promise<number> {
  const { version } = await db
    .updateTable('webhook_service')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}
