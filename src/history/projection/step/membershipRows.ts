import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import type { MembershipsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'

export type MembershipKey = Pick<Selectable<MembershipsTable>, 'subscription_id' | 'subscriber'>

/** The rows of those memberships that exist. */
export async function readMemberships(
  db: Transaction<Tables>,
  chainId: number,
  keys: readonly MembershipKey[],
): Promise<readonly Selectable<MembershipsTable>[]> {
  const found: Selectable<MembershipsTable>[] = []
  await inChunks(keys, async (chunk) => {
    const rows = await db
      .selectFrom('memberships')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where(isOneOf(chunk))
      .execute()
    found.push(...rows)
  })
  return found
}

/** The newest event up to a block that decides the account's status. */
export async function findDecisiveEvent(
  db: Transaction<Tables>,
  { chain_id, subscription_id, subscriber }: MembershipKey & { chain_id: number },
  kinds: readonly number[],
  upToBlock: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select('event')
    .where('chain_id', '=', chain_id)
    .where('subscription_id', '=', subscription_id)
    .where('subscriber', '=', subscriber)
    .where('block_number', '<=', upToBlock)
    // Literals, not parameters: only then does the database know that its partial index covers these events.
    .where('event', 'in', sql<number>`(${sql.join(kinds.map((kind) => sql.lit(kind)))})`)
    .orderBy('block_number', 'desc')
    .orderBy('log_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.event
}

export async function deleteMemberships(
  db: Transaction<Tables>,
  chainId: number,
  keys: readonly MembershipKey[],
): Promise<void> {
  await inChunks(keys, (chunk) =>
    db.deleteFrom('memberships').where('chain_id', '=', chainId).where(isOneOf(chunk)).execute(),
  )
}

export async function upsertMemberships(
  db: Transaction<Tables>,
  rows: readonly Selectable<MembershipsTable>[],
): Promise<void> {
  await inChunks(rows, (chunk) =>
    db
      .insertInto('memberships')
      .values(chunk)
      .onConflict((row) =>
        row.columns(['chain_id', 'subscriber', 'subscription_id']).doUpdateSet((set) => ({
          status: set.ref('excluded.status'),
          first_block: set.ref('excluded.first_block'),
          first_log_index: set.ref('excluded.first_log_index'),
        })),
      )
      .execute(),
  )
}

/** In the form that both databases accept: SQLite takes `in (values …)` but no list of pairs. */
export function isOneOf(keys: readonly MembershipKey[]): RawBuilder<SqlBool> {
  const pairs = keys.map(({ subscription_id, subscriber }) => sql`(${subscription_id}, ${subscriber})`)
  return sql`(${sql.ref('subscription_id')}, ${sql.ref('subscriber')}) in (values ${sql.join(pairs)})`
}
