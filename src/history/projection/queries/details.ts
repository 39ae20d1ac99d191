import type { Selectable } from 'kysely'
import type { Queries } from '../../../store/openStore.ts'
import type { DetailsLogsTable, ProfileLogsTable } from '../../../store/tables.ts'
import { detailsByProvider } from './logScans.ts'

/** The newest details of each of these subscriptions that has any, by its provider. */
export async function newestDetails(
  db: Queries,
  chainId: number,
  subscriptionIds: readonly string[],
): Promise<readonly Selectable<DetailsLogsTable>[]> {
  const [first, ...others] = subscriptionIds.map((id) =>
    db
      .selectFrom(detailsByProvider(db, chainId, id.toLowerCase()).selectAll().limit(1).as('newest'))
      .selectAll(),
  )
  // Put together of one query for each: joined, they would walk all the details that each ever had.
  return first === undefined ? [] : others.reduce((all, one) => all.unionAll(one), first).execute()
}

/** A provider's newest profile. */
export function newestProfile(
  db: Queries,
  chainId: number,
  provider: string,
): Promise<Selectable<ProfileLogsTable> | undefined> {
  return db
    .selectFrom('profile_logs')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('provider', '=', provider.toLowerCase())
    .orderBy('block_number', 'desc')
    .orderBy('log_index', 'desc')
    .limit(1)
    .executeTakeFirst()
}
