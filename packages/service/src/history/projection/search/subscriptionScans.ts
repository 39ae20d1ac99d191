import { CursorStaleError } from '@remit/engine/errors/chain'
import type { AmountRange, SearchQuery } from '@remit/engine/ports/history'
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { SubscriptionsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { inChunks } from '../columns.ts'
import type { Position } from '../queries/Cursors.ts'
import type { Range, Scan } from '../queries/readPage.ts'

// The SQL of searches without words: subscriptions that match a query's filters, in an order that the database has an index of.
//
// All pages of a list show it as it was at the block of its first page, while the tables say what is so now. The functions share the work:
// - `subscriptionScan`, `fewWithin` and `sortedSubscriptions` read the rows of a list. `since` is the block of the first page;
//   with `undefined` the list is read as it is now. A list of cancelled subscriptions leaves out those that were cancelled after
//   `since`. A list of subscriptions that are not cancelled lacks just those, and should not: `cancelledSince` reads them.
// - A list by the number of subscribers also leaves out whose number has changed (`recountedSince`). `recountsSince` tells by how much
//   numbers have changed, and `liveAmong` reads the rows with these ids.
// - `searchPage.ts` merges the rows that were read apart into the list, with their numbers as they were at that block.
//
// A bare column in a condition invites the database to walk that column's index, so where another index gives the order, an
// expression (AMOUNT_UNINDEXED, `created_block + 0`) takes its place.

type SubscriptionRow = Selectable<SubscriptionsTable>

/** A subscription with the place of its creation once more, under the names that the rows of every paged list have. */
export type PlacedSubscription = SubscriptionRow & {
  readonly block_number: number
  readonly log_index: number
}

const PLACE = ['created_block as block_number', 'created_log_index as log_index'] as const

export function placed<Row extends SubscriptionRow>(row: Row): Row & PlacedSubscription {
  return { ...row, block_number: row.created_block, log_index: row.created_log_index }
}

/** The column `amount_order`, for a condition by which its index is not walked. */
const AMOUNT_UNINDEXED = sql<string>`(amount_order || '')`

/** After more cancellations than this since a list's first page, the caller must begin the list again. */
const MOST_CANCELLED_SINCE = 5_000
/** So many rows, at most, are sorted in memory for one answer. */
const MOST_SORTED = 2_000

/** The subscriptions that are cancelled, or those that are not, as the query asks, newest first. Each set of filters has a database index. */
export function subscriptionScan(
  db: Queries,
  chainId: number,
  query: SearchQuery,
  since: number | undefined,
): Scan<PlacedSubscription> {
  const { amounts } = query
  const range = ({ below: { block, log }, limit, offset }: Range) => {
    const found = asOf(db, chainId, query, since)
      .where(sql<SqlBool>`(created_block, created_log_index) < (${block}, ${log})`)
      .orderBy('created_block', 'desc')
      .orderBy('created_log_index', 'desc')
      .limit(limit)
      .offset(offset)
    return amounts === undefined ? found : found.where(within(amounts, AMOUNT_UNINDEXED))
  }
  return {
    rows: (wanted) => range(wanted).selectAll().select(PLACE).execute(),
    places: (wanted) => range(wanted).select(PLACE).execute(),
  }
}

/**
 * All that are within the query's amounts, if they are MOST_SORTED at most: read newest first, the whole list might be gone through to
 * find so few. `undefined` if they are more, or if the query names no amounts.
 */
export async function fewWithin(
  db: Queries,
  chainId: number,
  query: SearchQuery,
  since: number | undefined,
): Promise<readonly PlacedSubscription[] | undefined> {
  const { amounts } = query
  if (amounts === undefined) return undefined
  const found = asOf(db, chainId, query, since)
    .where(within(amounts, sql.ref('amount_order')))
    .orderBy('amount_order')
  const more = await found.select('amount_order').limit(1).offset(MOST_SORTED).executeTakeFirst()
  return more === undefined ? found.selectAll().select(PLACE).execute() : undefined
}

/** A sort that has a database index of its own. */
export type IndexedSort = 'lowest_amount' | 'highest_amount' | 'most_subscribers'

const SORT_INDEXES = {
  lowest_amount: { column: 'amount_order', direction: 'asc', beyond: '>' },
  highest_amount: { column: 'amount_order', direction: 'desc', beyond: '<' },
  most_subscribers: { column: 'subscribers', direction: 'desc', beyond: '<' },
} as const

/** The subscriptions in the order of the sort. Equal ones: with the lowest amount first the older first, otherwise the newer. */
export function sortedSubscriptions(
  db: Queries,
  chainId: number,
  query: SearchQuery,
  {
    sort,
    since,
    untilBlock,
    after,
    limit,
    recountedSince,
  }: {
    readonly sort: IndexedSort
    readonly since: number | undefined
    /** Leaves out those that were created after this block. */
    readonly untilBlock: number | undefined
    /** The last row of the page before; `undefined` begins the list. */
    readonly after: PlacedSubscription | undefined
    readonly limit: number
    /** Leaves out those whose number of subscribers has changed after this block: the caller reads them by `liveAmong`. */
    readonly recountedSince?: number | undefined
  },
): Promise<readonly PlacedSubscription[]> {
  const { amounts } = query
  const { column, direction, beyond } = SORT_INDEXES[sort]
  let found = asOf(db, chainId, query, since)
    .orderBy(column, direction)
    .orderBy('created_block', direction)
    .orderBy('created_log_index', direction)
    .limit(limit)
  if (amounts !== undefined) {
    const amount = column === 'amount_order' ? sql.ref<string>(column) : AMOUNT_UNINDEXED
    found = found.where(within(amounts, amount))
  }
  if (recountedSince !== undefined) {
    const recounted = sql`select subscription_id from payments
      where chain_id = ${chainId} and block_number > ${recountedSince} and members <> 0`
    found = found.where(sql<SqlBool>`id not in (${recounted})`)
  }
  if (untilBlock !== undefined) found = found.where(sql<SqlBool>`created_block + 0 <= ${untilBlock}`)
  if (after !== undefined) {
    const { created_block, created_log_index } = after
    found = found.where(
      sql<SqlBool>`(${sql.ref(column)}, created_block, created_log_index) ${sql.raw(beyond)}
        (${after[column]}, ${created_block}, ${created_log_index})`,
    )
  }
  return found.selectAll().select(PLACE).execute()
}

/**
 * For a query for subscriptions that are not cancelled: those that match and were cancelled after `since`. At `since` they were not cancelled
 * yet, so they belong to the list. None for a query for cancelled ones, and none without `since`.
 * Throws CursorStaleError after too many cancellations.
 */
export async function cancelledSince(
  db: Queries,
  chainId: number,
  query: SearchQuery,
  since: number | undefined,
): Promise<readonly PlacedSubscription[]> {
  if (since === undefined) return []
  await assertFewCancelledSince(db, chainId, since)
  if (query.cancelled) return []
  const found = matching(db, chainId, query).where('cancelled_block', '>', since)
  const { amounts } = query
  const fitting = amounts === undefined ? found : found.where(within(amounts, AMOUNT_UNINDEXED))
  return fitting.selectAll().select(PLACE).execute()
}

/** After more payments than this since a list's first page, the caller must begin the list again. */
const MOST_PAYMENTS_SINCE = 20_000

/**
 * By id, by how much the number of subscribers of each subscription has changed after a block. A cancellation counts as the end of all
 * memberships: its row in `payments` has their number, negative, in `members`.
 * Throws CursorStaleError after too many payments.
 */
export async function recountsSince(
  db: Queries,
  chainId: number,
  block: number,
): Promise<ReadonlyMap<string, number>> {
  const since = db.selectFrom('payments').where('chain_id', '=', chainId).where('block_number', '>', block)
  const tooMuch = since.select('block_number').limit(1).offset(MOST_PAYMENTS_SINCE)
  if ((await tooMuch.executeTakeFirst()) !== undefined) throw new CursorStaleError()
  const rows = await since
    .select((row) => row.fn.sum<number | string>('members').as('change'))
    // An expression keeps the database from walking the index by subscription as a whole.
    .select(sql<string>`subscription_id || ''`.as('subscription_id'))
    .where('members', '<>', 0)
    .groupBy(sql`subscription_id || ''`)
    .execute()
  // Postgres tells sums as text.
  return new Map(rows.map(({ subscription_id, change }) => [subscription_id, Number(change)]))
}

/** Of these ids, the subscriptions that match and were not cancelled at `since`, or are not cancelled now where it is `undefined`. */
export async function liveAmong(
  db: Queries,
  chainId: number,
  query: SearchQuery,
  since: number | undefined,
  ids: readonly string[],
): Promise<readonly PlacedSubscription[]> {
  const { amounts } = query
  const found: PlacedSubscription[] = []
  await inChunks(ids, async (chunk) => {
    const some = matching(db, chainId, query).where('id', 'in', chunk)
    const fitting = amounts === undefined ? some : some.where(within(amounts, AMOUNT_UNINDEXED))
    const live = fitting.where((row) =>
      row.or([row('cancelled', '=', 0), row('cancelled_block', '>', since ?? Number.MAX_SAFE_INTEGER)]),
    )
    found.push(...(await live.selectAll().select(PLACE).execute()))
  })
  return found
}

/** The subscription that was created at a place in the chain. */
export async function subscriptionAt(
  db: Queries,
  chainId: number,
  { block, log }: Position,
): Promise<PlacedSubscription | undefined> {
  const row = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('chain_id', '=', chainId)
    // Excludes nothing, but the index that fits begins with this column.
    .where('cancelled', 'in', [0, 1])
    .where('created_block', '=', block)
    .where('created_log_index', '=', log)
    .executeTakeFirst()
  return row && placed(row)
}

/** Those that match, and are cancelled or not as the query asks. Cancelled ones as of `since`; the others as of now, without `cancelledSince`. */
function asOf(db: Queries, chainId: number, query: SearchQuery, since: number | undefined) {
  const found = matching(db, chainId, query).where('cancelled', '=', query.cancelled ? 1 : 0)
  if (!query.cancelled || since === undefined) return found
  return found.where(sql<SqlBool>`cancelled_block + 0 <= ${since}`)
}

function matching(db: Queries, chainId: number, { provider, token, frequency }: SearchQuery) {
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

/**
 * An amount as the column `amount_order` has it: with the number of its digits in front, itself in two digits, so that texts sort as
 * numbers. It may have 99 digits.
 */
function amountOrder(amount: bigint): string {
  const digits = amount.toString()
  return `${String(digits.length).padStart(2, '0')}${digits}`
}

/** Sorts after every `amount_order`: the character after 9. */
const ABOVE_ALL = ':'

function boundsOf({ least, most }: Pick<AmountRange, 'least' | 'most'>) {
  return { least: amountOrder(least), most: most === null ? ABOVE_ALL : amountOrder(most) }
}

/** Whether a subscription's amount is in the range of its token. */
export function isWithin(
  { token, amount_order }: { readonly token: string; readonly amount_order: string },
  amounts: readonly AmountRange[],
): boolean {
  return amounts.some((range) => {
    const { least, most } = boundsOf(range)
    const isToken = range.tokens.some((one) => one.toLowerCase() === token)
    return isToken && amount_order >= least && amount_order <= most
  })
}

/**
 * The same in SQL: first the range over all tokens, by which an index is walked, then each token's own where there are several.
 * @param column `amount_order`, or AMOUNT_UNINDEXED
 */
function within(amounts: readonly AmountRange[], column: RawBuilder<string>): RawBuilder<SqlBool> {
  const bounds = amounts.map(boundsOf)
  const [least = ABOVE_ALL] = bounds.map((bound) => bound.least).sort()
  const [most = ''] = bounds
    .map((bound) => bound.most)
    .sort()
    .reverse()
  const own = amounts.map((range, index) => {
    const tokens = sql.join(range.tokens.map((token) => token.toLowerCase()))
    const isOwn = sql`amount_order >= ${bounds[index]?.least} and amount_order <= ${bounds[index]?.most}`
    return sql`(token in (${tokens}) and ${isOwn})`
  })
  const owned = own.length > 1 ? sql` and (${sql.join(own, sql` or `)})` : sql``
  return sql<SqlBool>`(${column} >= ${least} and ${column} <= ${most}${owned})`
}
