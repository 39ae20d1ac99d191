import * as z from 'zod'
import { StoreError } from '../../store/StoreError.ts'
import { type Cells, CHAIN_TABLES, type ChainTable } from '../projection/chainTables.ts'
import { readLines } from './readLines.ts'
import { parseHeader, parseJson, type SnapshotHeader } from './SnapshotHeader.ts'

/** Rows that are handed on together. */
const PIECE = 1_000

/** An open snapshot: its header, and its rows as they are read. */
export class Snapshot {
  readonly header: SnapshotHeader
  readonly #file: string
  readonly #lines: AsyncGenerator<string>

  private constructor(file: string, header: SnapshotHeader, lines: AsyncGenerator<string>) {
    this.#file = file
    this.header = header
    this.#lines = lines
  }

  /** Reads the header. Throws StoreError if this release cannot read the file. */
  static async open(file: string): Promise<Snapshot> {
    const lines = readLines(file)
    const { value, done } = await lines.next()
    if (done) throw new StoreError(`The snapshot ${file} is empty.`)
    return new Snapshot(file, parseHeader(value), lines)
  }

  get rows(): number {
    return this.header.tables.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** All rows, once, in pieces of one table. Throws StoreError if a row is damaged, missing or too many. */
  async *pieces(): AsyncGenerator<{ table: ChainTable; rows: readonly Cells[] }> {
    for (const { name, rows: count } of this.header.tables) {
      const table = CHAIN_TABLES.find((known) => known.name === name)
      // The header was compared with these tables.
      if (table === undefined) throw new Error(`there is no table ${name}`)
      const Row = rowOf(table)
      for (let left = count; left > 0; left -= PIECE) {
        const rows: Cells[] = []
        while (rows.length < Math.min(left, PIECE)) rows.push(await this.#row(table, Row))
        yield { table, rows }
      }
    }
    if (!(await this.#lines.next()).done) throw this.#damaged('it has more rows than its header says')
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined)
  }

  async #row({ name }: ChainTable, Row: z.ZodType<Cells>): Promise<Cells> {
    const { value, done } = await this.#lines.next()
    if (done) throw this.#damaged(`rows of ${name} are missing`)
    const row = Row.safeParse(parseJson(value))
    if (!row.success) throw this.#damaged(`a row of ${name} cannot be read`)
    return row.data
  }

  #damaged(how: string): StoreError {
    return new StoreError(`The snapshot ${this.#file} is damaged: ${how}.`)
  }
}

function rowOf({ columns }: ChainTable): z.ZodType<Cells> {
  const [first, ...others] = Object.values(columns)
  if (first === undefined) throw new Error('a table has columns')
  return z.tuple([first, ...others])
}
