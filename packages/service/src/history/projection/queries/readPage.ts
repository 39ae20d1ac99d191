import { CursorStaleError } from '@remit/engine/errors/chain'
import type { Page, PageQuery } from '@remit/engine/ports/history'
import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import type { Cursors, LogTable, PlacedRow } from './Cursors.ts'
import { NEWEST, type Position } from './Cursors.ts'

// Pages of lists: of one or several scans merged by place in the chain, newest first (`readPage`), or of a list in another order
// (`readSortedPage`).

/** Which rows of a scan: those below a place in the chain, newest first. */
export interface Range {
  readonly below: Position
  readonly limit: number
  readonly offset: number
}

type Place = Pick<PlacedRow, 'block_number' | 'log_index'>

/** Rows that one index of the database holds in order. */
export interface Scan<Row extends PlacedRow> {
  rows(range: Range): Promise<readonly Row[]>
  /** The places of the rows in this range, read from the database's index without the rows. */
  places(range: Range): Promise<readonly Place[]>
}

/** A list: the rows of all its scans, each row once. */
export interface List<Row extends PlacedRow> {
  /** Names the list in its cursors. */
  readonly name: string
  /** The tables that hold the logs of its rows. */
  readonly tables: readonly [LogTable, ...LogTable[]]
  readonly scans: readonly [Scan<Row>, ...Scan<Row>[]]
}

/** Reads one page of a list. From each scan it reads at most a page of rows, and the skipped ones. */
export async function readPage<Row extends PlacedRow>(
  cursors: Cursors,
  { name, tables, scans }: List<Row>,
  page: PageQuery,
): Promise<Page<Row>> {
  const { first, skip, after, untilBlock } = page
  const cursor = after === undefined ? undefined : await cursors.place(name, tables, after)
  const end = untilBlock === undefined ? NEWEST : { block: untilBlock + 1, log: 0 }
  const below = cursor !== undefined && isBefore(cursor, end) ? cursor : end
  return toPage(cursors, name, await readMerged(scans, { below, limit: first + 1, offset: skip }), first)
}

/** A list in another order than that of the chain. */
export interface SortedList<Row extends PlacedRow> extends Pick<List<Row>, 'name' | 'tables'> {
  /** The row at a place; `undefined` if it is there no more. */
  at(place: Position): Promise<Row | undefined>
  /** The first rows after one, or of the whole list. */
  rows(after: Row | undefined, limit: number): Promise<readonly Row[]>
}

/** Reads one page of a list that has an order of its own. The page's `untilBlock` is for the list's `at` and `rows` to heed. */
export async function readSortedPage<Row extends PlacedRow>(
  cursors: Cursors,
  { name, tables, at, rows }: SortedList<Row>,
  { first, skip, after }: PageQuery,
): Promise<Page<Row>> {
  const lastRead = after === undefined ? undefined : await at(await cursors.place(name, tables, after))
  if (after !== undefined && lastRead === undefined) throw new CursorStaleError()
  return toPage(cursors, name, (await rows(lastRead, skip + first + 1)).slice(skip), first)
}

/** @param rows those of the page, and one more if there are more */
async function toPage<Row extends PlacedRow>(
  cursors: Cursors,
  name: string,
  rows: readonly Row[],
  first: number,
): Promise<Page<Row>> {
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  const hasMore = rows.length > first
  return {
    rows: shown,
    hasMore,
    nextCursor: hasMore && last !== undefined ? await cursors.make(name, last) : null,
  }
}

/** The rows of all scans in one range, merged. */
async function readMerged<Row extends PlacedRow>(
  scans: readonly [Scan<Row>, ...Scan<Row>[]],
  { below, limit, offset }: Range,
): Promise<readonly Row[]> {
  const [only, ...others] = scans
  if (others.length === 0) return only.rows({ below, limit, offset })
  let start = below
  if (offset > 0) {
    // A scan does not know how many rows of the others lie between its own. So the place where the page begins is
    // found by counting.
    const places = await Promise.all(
      scans.map((scan) => scan.places({ below, limit: offset + 1, offset: 0 })),
    )
    const begin = merge(places)[offset]
    if (begin === undefined) return []
    // A range holds what is below a place, so it must begin just above the page's first row.
    start = { block: begin.block_number, log: begin.log_index + 1 }
  }
  const rows = await Promise.all(scans.map((scan) => scan.rows({ below: start, limit, offset: 0 })))
  return merge(rows).slice(0, limit)
}

/** Newest first, each place once. */
function merge<Row extends Place>(lists: readonly (readonly Row[])[]): Row[] {
  const sorted = lists.flat().sort((a, b) => b.block_number - a.block_number || b.log_index - a.log_index)
  return sorted.filter((row, index) => {
    const before = sorted[index - 1]
    return before?.block_number !== row.block_number || before.log_index !== row.log_index
  })
}

/** A query's rows. The type is stated here, because Kysely cannot infer it where the table is a type parameter. */
interface WholeRows<Row> {
  selectAll(): { execute(): Promise<readonly Row[]> }
}

/** A scan of one table. `within` asks for a range of it, and selects nothing yet. */
export function scanOf<Table extends LogTable, Row extends PlacedRow>(
  within: (range: Range) => WholeRows<Row> & SelectQueryBuilder<Tables, Table, object>,
): Scan<Row> {
  return {
    rows: (range) => within(range).selectAll().execute(),
    places: (range) => within(range).select(['block_number', 'log_index']).execute(),
  }
}

/** A scan of a few rows that are already in memory. */
export function inMemory<Row extends PlacedRow>(found: readonly Row[]): Scan<Row> {
  const ordered = merge([found])
  const rows = async ({ below, limit, offset }: Range) =>
    ordered
      .filter(({ block_number: block, log_index: log }) => isBefore({ block, log }, below))
      .slice(offset, offset + limit)
  return { rows, places: rows }
}

function isBefore(a: Position, b: Position): boolean {
  return a.block < b.block || (a.block === b.block && a.log < b.log)
}
