import type { Selectable } from 'kysely'
import type { Queries } from '../../store/openStore.ts'
import type { DetailsLogsTable, ProfileLogsTable } from '../../store/tables.ts'
import { NEWEST } from './cursor.ts'
import { detailsScan } from './logScans.ts'

/** A subscription's newest details by its provider. */
export async function newestDetails(
  db: Queries,
  chainId: number,
  subscriptionId: string,
): Promise<Selectable<DetailsLogsTable> | undefined> {
  const newest = { below: NEWEST, limit: 1, offset: 0 }
  const [row] = await detailsScan(db, chainId, subscriptionId.toLowerCase()).rows(newest)
  return row
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
