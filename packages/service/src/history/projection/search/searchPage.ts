import type { Page, PageQuery, SearchQuery, SearchSort } from '@remit/engine/ports/history'
import type { Queries } from '../../../store/openStore.ts'
import type { Cursors, Position } from '../queries/Cursors.ts'
import { inMemory, readPage, readSortedPage } from '../queries/readPage.ts'
import { findTexts, rankText, textOf } from './findTexts.ts'
import { searchWords } from './searchWords.ts'
import {
  cancelledSince,
  fewWithin,
  type IndexedSort,
  isWithin,
  liveAmong,
  type PlacedSubscription,
  placed,
  recountsSince,
  sortedSubscriptions,
  subscriptionAt,
  subscriptionScan,
} from './subscriptionScans.ts'

// One page of a search. A list can be read as of the block of its first page, so that no row comes twice or is passed over: as to which
// subscriptions are cancelled, where the caller names that block (`untilBlock`); as to numbers of subscribers, always where they order the
// list. Rows that have changed since that block are read apart and put right in memory ("recounted").

/** `isCut`: more subscriptions match the words than are ranked, so the list lacks some. */
type FoundPage = Page<PlacedSubscription> & { readonly isCut: boolean }

interface Search {
  readonly db: Queries
  readonly chainId: number
  readonly cursors: Cursors
  readonly query: SearchQuery
  readonly page: PageQuery
  /**
   * The block as of which subscriptions count as cancelled or not: the caller's `untilBlock`, where the index is beyond it. `undefined`
   * at the index's block, since which nothing can have been cancelled.
   */
  readonly since: number | undefined
}

/**
 * One page of the subscriptions that a query finds, by age, amount, number of subscribers, or rank of their texts. One that was
 * cancelled after `since` counts as not cancelled.
 * @throws CursorStaleError if too much has happened after that block
 */
export async function searchPage(search: Search): Promise<FoundPage> {
  const { text, sort = text === undefined ? 'newest' : 'relevance' } = search.query
  if (sort === 'most_subscribers') return bySubscribers(search)
  if (text !== undefined) return byText(search, searchWords(text), sort)
  const page = await (sort === 'newest' || sort === 'relevance'
    ? byAge(search)
    : inIndexedOrder(search, sort))
  return { ...page, isCut: false }
}

/**
 * On all pages the numbers of subscribers are those at the block of the first page, so that no row changes its place. The cursors of such
 * a list keep that block: `after` is the cursor without it, `wrap` puts it in front again.
 */
async function bySubscribers(search: Search): Promise<FoundPage> {
  const { db, chainId, cursors, query, page } = search
  const { block, isNow, after, wrap } = await cursors.asOf(page)
  const recounts = isNow ? undefined : { since: block, changes: await recountsSince(db, chainId, block) }
  const begun = { ...search, page: { ...page, after, untilBlock: block } }
  const found =
    query.text === undefined
      ? { ...(await inIndexedOrder(begun, 'most_subscribers', recounts)), isCut: false }
      : await byText(begun, searchWords(query.text), 'most_subscribers', recounts)
  return { ...found, nextCursor: found.nextCursor === null ? null : wrap(found.nextCursor) }
}

/** How the numbers of subscribers have changed after a block. */
interface Recounts {
  readonly since: number
  /** By the id of a subscription: how many subscribers it has more now, or fewer if negative. */
  readonly changes: ReadonlyMap<string, number>
}

/** The row with its number of subscribers as of `recounts.since`; as it is without `recounts`. */
function recount<Row extends PlacedSubscription>(row: Row, recounts: Recounts | undefined): Row {
  if (recounts === undefined) return row
  // A cancelled row keeps the number that it had, but `changes` counts the cancellation as the end of all memberships.
  const now = row.cancelled === 1 ? 0 : row.subscribers
  return { ...row, subscribers: now - (recounts.changes.get(row.id) ?? 0) }
}

/** The list's name in its cursors: all that the query says, so that a cursor of another query is refused. */
function listOf({ provider, token, frequency, cancelled, text, amounts, sort }: SearchQuery) {
  const ranges = amounts?.map(({ tokens, least, most }) => [tokens, String(least), String(most)])
  const beyond = text === undefined && amounts === undefined && sort === undefined ? [] : [text, ranges, sort]
  const named = [provider?.toLowerCase(), token?.toLowerCase(), frequency, cancelled, ...beyond]
  return { name: `search ${JSON.stringify(named)}`, tables: ['events'] } as const
}

/** Newest first, by the database's index of ages; those cancelled since the first page are merged in. */
async function byAge({
  db,
  chainId,
  cursors,
  query,
  page,
  since,
}: Search): Promise<Page<PlacedSubscription>> {
  const list = listOf(query)
  const others = await cancelledSince(db, chainId, query, since)
  // All rows, where the amounts of the query leave only few.
  const few = await fewWithin(db, chainId, query, since)
  const scan = few === undefined ? subscriptionScan(db, chainId, query, since) : inMemory(few)
  const scans = others.length === 0 ? ([scan] as const) : ([scan, inMemory(others)] as const)
  return readPage(cursors, { ...list, scans }, page)
}

/**
 * In an order that the database has an index of. The rows that differ from what they were at the first page, because they were
 * cancelled or their subscribers changed, are read apart, put right in memory, and sorted in among the others.
 */
async function inIndexedOrder(
  { db, chainId, cursors, query, page, since }: Search,
  sort: IndexedSort,
  recounts?: Recounts | undefined,
): Promise<Page<PlacedSubscription>> {
  const { untilBlock } = page
  const changed = await liveAmong(db, chainId, query, since, [...(recounts?.changes.keys() ?? [])])
  const apart = new Map(
    [...(await cancelledSince(db, chainId, query, since)), ...changed].map((row) => [row.id, row]),
  )
  const others = [...apart.values()].filter(isUntil(untilBlock)).map((row) => recount(row, recounts))
  // By amount the database reads only the rows in the ranges; by subscribers it would go through the whole list to find few.
  const few = sort === 'most_subscribers' ? await fewWithin(db, chainId, query, since) : undefined
  const wanted = { sort, since, untilBlock, recountedSince: recounts?.since }
  const list = {
    ...listOf(query),
    at: async (place: Position) => {
      const row = await subscriptionAt(db, chainId, place)
      return row && recount(row, recounts)
    },
    async rows(after: PlacedSubscription | undefined, limit: number) {
      const rows =
        few?.filter(isUntil(untilBlock)) ??
        (await sortedSubscriptions(db, chainId, query, { ...wanted, after, limit }))
      const found = rows.filter(({ id }) => !apart.has(id))
      return inOrder([...found, ...others], ORDERS[sort], after).slice(0, limit)
    },
  }
  return readSortedPage(cursors, list, page)
}

/** A subscription with how well it fits the words. */
type Ranked = PlacedSubscription & { readonly rank: number }

/** Finds all matches of the words, ranks and sorts them in memory, and takes a page of them. */
async function byText(
  { db, chainId, cursors, query, page, since }: Search,
  words: readonly string[],
  sort: SearchSort,
  recounts?: Recounts,
): Promise<FoundPage> {
  const { cancelled, amounts } = query
  const found = await findTexts(db, chainId, { ...query, words })
  // Those cancelled since the first page count as they did then.
  const isCancelledSince = (row: { readonly cancelled_block: number | null }) =>
    since !== undefined && Number(row.cancelled_block) > since
  const lately =
    since === undefined || cancelled
      ? undefined
      : await findTexts(db, chainId, { ...query, words, cancelled: true })
  const rows = [
    ...found.rows.filter((row) => !cancelled || !isCancelledSince(row)),
    ...(lately?.rows ?? []).filter(isCancelledSince),
  ]
  const ranked = rows
    .map((row): Ranked => ({ ...recount(placed(row), recounts), rank: rankText(words, row) }))
    .filter((row) => amounts === undefined || isWithin(row, amounts))
    .filter(isUntil(page.untilBlock))
  const list = {
    ...listOf(query),
    async at(place: Position): Promise<Ranked | undefined> {
      const row = await subscriptionAt(db, chainId, place)
      return row && { ...recount(row, recounts), rank: rankText(words, await textOf(db, chainId, row)) }
    },
    rows: async (after: Ranked | undefined, limit: number) =>
      inOrder(ranked, ORDERS[sort], after).slice(0, limit),
  }
  const isCut = found.isCut || lately?.isCut === true
  return { ...(await readSortedPage(cursors, list, page)), isCut }
}

function isUntil(untilBlock: number | undefined) {
  return ({ created_block }: PlacedSubscription) => untilBlock === undefined || created_block <= untilBlock
}

type Compare = (
  a: PlacedSubscription & { rank?: number },
  b: PlacedSubscription & { rank?: number },
) => number

const newest: Compare = (a, b) =>
  b.created_block - a.created_block || b.created_log_index - a.created_log_index

const highest: Compare = (a, b) =>
  a.amount_order === b.amount_order ? newest(a, b) : a.amount_order < b.amount_order ? 1 : -1

const ORDERS: Readonly<Record<SearchSort, Compare>> = {
  newest,
  relevance: (a, b) => (b.rank ?? 0) - (a.rank ?? 0) || newest(a, b),
  highest_amount: highest,
  lowest_amount: (a, b) => highest(b, a),
  most_subscribers: (a, b) => b.subscribers - a.subscribers || newest(a, b),
}

function inOrder<Row extends PlacedSubscription>(
  rows: readonly Row[],
  compare: Compare,
  after: Row | undefined,
): Row[] {
  return rows.filter((row) => after === undefined || compare(after, row) < 0).sort(compare)
}
