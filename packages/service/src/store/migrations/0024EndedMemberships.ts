import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Finds whose memberships of a provider have ended, newest first: few payments of many. The kinds are `ENDS` as numbers. */
export async function indexEndedMemberships(db: Transaction<Tables>): Promise<void> {
  await sql`create index payments_that_ended on payments (chain_id, provider, block_number, log_index)
    where subscriber is not null and kind in (3, 4, 5, 6)`.execute(db)
}
