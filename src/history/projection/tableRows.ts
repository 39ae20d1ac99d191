import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../../store/openStore.ts'
import type { Cell, Cells, ChainTable } from './chainTables.ts'
import { inChunks } from './inChunks.ts'

/** Rows of one query. A table is read in pieces, so that its size does not matter. */
const PIECE = 2_000

/** How many rows of a chain a table has. */
export async function countRows(db: Queries, chainId: number, { name }: ChainTable): Promise<number> {
  const counted = sql<{ rows: number | string | bigint }>`
    select count(*) as rows from ${sql.table(name)} where chain_id = ${chainId}`
  const { rows } = await counted.execute(db)
  return Number(rows[0]?.rows)
}

/** All rows of a chain, in the order of the table's key, in pieces. */
export async function* readTable(
  db: Queries,
  chainId: number,
  table: ChainTable,
): AsyncGenerator<readonly Cells[]> {
  const columns = Object.keys(table.columns)
  let last: Cells | undefined
  for (;;) {
    const rows = await readRows(db, chainId, table, last && after(table, columns, last), PIECE)
    if (rows.length > 0) yield rows
    if (rows.length < PIECE) return
    last = rows.at(-1)
  }
}

/** The rows of a chain that a condition holds for, in the order of the table's key. */
export async function readRows(
  db: Queries,
  chainId: number,
  { name, key, columns }: ChainTable,
  condition: RawBuilder<unknown> | undefined,
  most: number,
): Promise<readonly Cells[]> {
  const names = Object.keys(columns)
  const { rows } = await sql<Record<string, Cell>>`
    select ${list(names)} from ${sql.table(name)}
    where chain_id = ${chainId} ${condition === undefined ? sql`` : sql`and ${condition}`}
    order by ${list(key)} limit ${sql.lit(most)}`.execute(db)
  return rows.map((row) => names.map((column) => row[column] ?? null))
}

/** Adds rows of a chain to a table. */
export async function insertRows(
  db: Queries,
  chainId: number,
  { name, columns }: ChainTable,
  rows: readonly Cells[],
): Promise<void> {
  await inChunks(rows, (chunk) => {
    const values = chunk.map((row) => sql`(${sql.join([chainId, ...row])})`)
    return sql`
      insert into ${sql.table(name)} (chain_id, ${list(Object.keys(columns))})
      values ${sql.join(values)}`.execute(db)
  })
}

function list(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)))
}

function after({ key }: ChainTable, columns: readonly string[], last: Cells): RawBuilder<unknown> {
  const values = key.map((column) => last[columns.indexOf(column)] ?? null)
  return sql`(${list(key)}) > (${sql.join(values)})`
}
