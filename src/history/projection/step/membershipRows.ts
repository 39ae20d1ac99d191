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

export async function upsertMemberships(
  db: Transaction<Tables>,
  rows: readonly Selectable<MembershipsTable>[],
): Promise<void> {
  await inChunks(rows, (chunk) =>
    db
      .insertInto('memberships')
      .values(chunk)
      .onConflict((row) =>
        row
          .columns(['chain_id', 'subscriber', 'subscription_id'])
          .doUpdateSet((set) => ({ status: set.ref('excluded.status') })),
      )
      .execute(),
  )
}

/** In the form that both databases accept: SQLite takes `in (values …)` but no list of pairs. */
export function isOneOf(keys: readonly MembershipKey[]): RawBuilder<SqlBool> {
  const pairs = keys.map(({ subscription_id, subscriber }) => sql`(${subscription_id}, ${subscriber})`)
  return sql`(${sql.ref('subscription_id')}, ${sql.ref('subscriber')}) in (values ${sql.join(pairs)})`
}
