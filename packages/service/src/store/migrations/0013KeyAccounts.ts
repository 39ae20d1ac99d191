import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * The account that a key's requests are counted in: the id of the key that it was issued with. A rotated key counts in that
 * of the first one of its line.
 *
 * It stays null for keys that a process of an earlier release makes during the update. Those count by themselves.
 */
export async function addKeyAccounts(db: Transaction<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('account', 'text').execute()
  await sql`
    with recursive line (id, account) as (
      select id, id from api_keys
        where id not in (select replaced_by from api_keys where replaced_by is not null)
      union all
      select api_keys.replaced_by, line.account from line
        join api_keys on api_keys.id = line.id
        where api_keys.replaced_by is not null
    )
    update api_keys set account = (select line.account from line where line.id = api_keys.id)`.execute(db)
}
