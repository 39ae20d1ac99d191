import { type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type {
  ApprovalsTable,
  DetailsLogsTable,
  EventsTable,
  ProfileLogsTable,
} from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { LogTable, Position } from './Cursors.ts'
import { type Range, type Scan, scanOf } from './readPage.ts'

// The lists of logs that answers page through, and the newest text of each kind. A scan is what `readPage` pages through.

/** The events of subscriptions (SubLog) with a value in an indexed column. */
export function eventScan(
  db: Queries,
  chainId: number,
  column: 'subscription_id' | 'provider' | 'subscriber',
  value: string,
): Scan<Selectable<EventsTable>> {
  const query = db.selectFrom('events').where('chain_id', '=', chainId).where(column, '=', value)
  return scanOf((range) => newestIn(range, query))
}

export function approvalScan(db: Queries, chainId: number, owner: string): Scan<Selectable<ApprovalsTable>> {
  const query = db.selectFrom('approvals').where('chain_id', '=', chainId).where('owner', '=', owner)
  return scanOf((range) => newestIn(range, query))
}

export function detailsScan(
  db: Queries,
  chainId: number,
  subscriptionId: string,
): Scan<Selectable<DetailsLogsTable>> {
  const within = ({ below, limit, offset }: Range) =>
    detailsByProvider(db, chainId, subscriptionId).where(isBelow(below)).limit(limit).offset(offset)
  return scanOf(within)
}

/** A subscription's details as its provider has set them, newest first. The contract logs no others. */
function detailsByProvider(db: Queries, chainId: number, subscriptionId: string) {
  return db
    .selectFrom('details_logs')
    .where('chain_id', '=', chainId)
    .where('subscription_id', '=', subscriptionId)
    .where('provider', '=', (row) =>
      row
        .selectFrom('subscriptions')
        .select('subscriptions.provider')
        .where('subscriptions.chain_id', '=', chainId)
        .where('subscriptions.id', '=', subscriptionId),
    )
    .orderBy('block_number', 'desc')
    .orderBy('log_index', 'desc')
}

/** The newest details by the provider, of each of these subscriptions that has any. */
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
  // One query for each, joined by `union all`: a single query would walk all the details that each ever had.
  return first === undefined ? [] : others.reduce((all, one) => all.unionAll(one), first).execute()
}

/** The newest profile of each of these providers that has published one. */
export async function newestProfiles(
  db: Queries,
  chainId: number,
  providers: readonly string[],
): Promise<readonly Selectable<ProfileLogsTable>[]> {
  const [first, ...others] = providers.map((provider) => {
    const newest = db
      .selectFrom('profile_logs')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('provider', '=', provider.toLowerCase())
      .orderBy('block_number', 'desc')
      .orderBy('log_index', 'desc')
      .limit(1)
    return db.selectFrom(newest.as('newest')).selectAll()
  })
  return first === undefined ? [] : others.reduce((all, one) => all.unionAll(one), first).execute()
}

/** The rows of a table in a range, newest first. */
export function newestIn<Table extends LogTable>(
  { below, limit, offset }: Range,
  query: SelectQueryBuilder<Tables, Table, object>,
): SelectQueryBuilder<Tables, Table, object> {
  return query
    .where(isBelow(below))
    .orderBy(sql.ref('block_number'), 'desc')
    .orderBy(sql.ref('log_index'), 'desc')
    .limit(limit)
    .offset(offset)
}

function isBelow({ block, log }: Position): RawBuilder<SqlBool> {
  return sql`(block_number, log_index) < (${block}, ${log})`
}
