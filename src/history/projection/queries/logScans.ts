import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../store/openStore.ts'
import type { DetailsLogsTable, EventsTable } from '../../../store/tables.ts'
import type { Position } from './cursor.ts'
import type { Range, Scan } from './readPage.ts'

/** SubLogs by what one of their indexed columns says. */
export function eventScan(
  db: Queries,
  chainId: number,
  column: 'subscription_id' | 'provider' | 'subscriber',
  value: string,
): Scan<Selectable<EventsTable>> {
  const within = ({ below, limit, offset }: Range) =>
    db
      .selectFrom('events')
      .where('chain_id', '=', chainId)
      .where(column, '=', value)
      .where(isBelow(below))
      .orderBy('block_number', 'desc')
      .orderBy('log_index', 'desc')
      .limit(limit)
      .offset(offset)
  return {
    rows: (range) => within(range).selectAll().execute(),
    places: (range) => within(range).select(['block_number', 'log_index']).execute(),
  }
}

/** A subscription's details. */
export function detailsScan(
  db: Queries,
  chainId: number,
  subscriptionId: string,
): Scan<Selectable<DetailsLogsTable>> {
  const within = ({ below, limit, offset }: Range) =>
    detailsByProvider(db, chainId, subscriptionId).where(isBelow(below)).limit(limit).offset(offset)
  return {
    rows: (range) => within(range).selectAll().execute(),
    places: (range) => within(range).select(['block_number', 'log_index']).execute(),
  }
}

/** A subscription's details as its provider has set them, newest first. The contract logs no others. */
export function detailsByProvider(db: Queries, chainId: number, subscriptionId: string) {
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

function isBelow({ block, log }: Position): RawBuilder<SqlBool> {
  return sql`(block_number, log_index) < (${block}, ${log})`
}
