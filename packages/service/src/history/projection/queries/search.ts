import { CursorStaleError } from '@remit/engine/errors/chain'
import type { SearchFilters } from '@remit/engine/ports/history'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { SubscriptionsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inMemory, type List, type Range, type Scan } from './readPage.ts'

/** A subscription with the place of its creation. Lists are ordered by it. */
type PlacedSubscription = Selectable<SubscriptionsTable> & {
  readonly block_number: number
  readonly log_index: number
}

/** After more cancellations than this since a list's block, the caller must begin the list again. */
const MOST_CANCELLED_SINCE = 5_000

/**
 * The subscriptions that match the filters. Whether one is cancelled is judged as of a block: one that was cancelled
 * later counts as not cancelled.
 * @param since that block; `undefined` if nothing can have been cancelled after it
 * @throws CursorStaleError if too many were cancelled after it
 */
export async function searchList(
  db: Queries,
  chainId: number,
  filters: SearchFilters,
  since: number | undefined,
): Promise<List<PlacedSubscription>> {
  const { provider, token, frequency, cancelled } = filters
  const named = [provider?.toLowerCase(), token?.toLowerCase(), frequency, cancelled]
  const list = { name: `search ${JSON.stringify(named)}`, tables: ['events'] } as const
  const scan = subscriptionScan(db, chainId, filters, since)
  if (since === undefined) return { ...list, scans: [scan] }
  await assertFewCancelledSince(db, chainId, since)
  if (cancelled) return { ...list, scans: [scan] }
  const cancelledSince = await matching(db, chainId, filters)
    .where('cancelled_block', '>', since)
    .selectAll()
    .select(['created_block as block_number', 'created_log_index as log_index'])
    .execute()
  return { ...list, scans: [scan, inMemory(cancelledSince)] }
}

/** The subscriptions that are cancelled now, or those that are not. Each set of filters has a database index. */
function subscriptionScan(
  db: Queries,
  chainId: number,
  filters: SearchFilters,
  since: number | undefined,
): Scan<PlacedSubscription> {
  const within = ({ below: { block, log }, limit, offset }: Range) => {
    const query = matching(db, chainId, filters)
      .where('cancelled', '=', filters.cancelled ? 1 : 0)
      .where(sql<SqlBool>`(created_block, created_log_index) < (${block}, ${log})`)
      .orderBy('created_block', 'desc')
      .orderBy('created_log_index', 'desc')
      .limit(limit)
      .offset(offset)
    if (!filters.cancelled || since === undefined) return query
    // The sum keeps the database from using the index of cancellations, which is in another order.
    return query.where(sql<SqlBool>`cancelled_block + 0 <= ${since}`)
  }
  const place = ['created_block as block_number', 'created_log_index as log_index'] as const
  return {
    rows: (range) => within(range).selectAll().select(place).execute(),
    places: (range) => within(range).select(place).execute(),
  }
}

function matching(db: Queries, chainId: number, { provider, token, frequency }: SearchFilters) {
  let query = db.selectFrom('subscriptions').where('chain_id', '=', chainId)
  if (provider !== undefined) query = query.where('provider', '=', provider.toLowerCase())
  if (token !== undefined) query = query.where('token', '=', token.toLowerCase())
  if (frequency !== undefined) query = query.where('frequency', '=', frequency)
  return query
}

async function assertFewCancelledSince(db: Queries, chainId: number, since: number): Promise<void> {
  const tooMuch = await db
    .selectFrom('subscriptions')
    .select('cancelled_block')
    .where('chain_id', '=', chainId)
    .where('cancelled_block', '>', since)
    .limit(1)
    .offset(MOST_CANCELLED_SINCE)
    .executeTakeFirst()
  if (tooMuch !== undefined) throw new CursorStaleError()
}
