import { sql } from 'kysely'
import type { Hex } from 'viem'
import { type ChainNode, type NodeLog, RangeRefusedError } from '../../core/ports/node.ts'
import type { Queries } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { type Cell, CHAIN_TABLES } from '../projection/chainTables.ts'
import { type StepRows, stepRows } from '../projection/step/stepRows.ts'
import { readRows } from '../projection/tableRows.ts'
import type { ScheduleTerms } from '../projection.ts'
import { SourceError } from '../source.ts'
import { toEvents } from '../sources/toEvents.ts'
import type { SnapshotHeader } from './SnapshotHeader.ts'

const RANGES = 32
/** Blocks of one range. It shrinks where the node refuses it. */
const FIRST_SIZE = 2_000
const MOST_ROWS = 1_000_000

export interface ComparedRanges {
  readonly ranges: number
  readonly blocks: number
  readonly logs: number
}

interface Options {
  readonly db: Queries
  readonly header: SnapshotHeader
  readonly node: ChainNode
  readonly lastBlock: number
  readonly random: () => number
  readonly signal: AbortSignal
}

/** The columns of a subscription that its creation decides. Later logs change the others. */
const CREATED = (column: string) => column !== 'cancelled' && column !== 'cancelled_block'
const ALL = () => true

/** The tables whose rows are made of the logs of one block, and the column with that block. */
const TABLES = [
  ['events', 'block_number', ALL, ({ events }: StepRows) => events],
  ['details_logs', 'block_number', ALL, ({ detailsLogs }: StepRows) => detailsLogs],
  ['profile_logs', 'block_number', ALL, ({ profileLogs }: StepRows) => profileLogs],
  ['subscriptions', 'created_block', CREATED, ({ subscriptions }: StepRows) => subscriptions],
] as const

/**
 * Compares imported rows with the chain's own logs: in half of the ranges around rows that there are, in the other half
 * anywhere. Throws StoreError at the first difference.
 */
export async function compareRanges(options: Options): Promise<ComparedRanges> {
  const { header, lastBlock, random } = options
  const { firstBlock } = header
  let size = FIRST_SIZE
  let [blocks, logs] = [0, 0]
  for (let range = 0; range < RANGES; range += 1) {
    const anywhere = firstBlock + Math.floor(random() * (lastBlock - firstBlock + 1))
    const middle = range % 2 === 0 ? await nextEvent(options, anywhere) : anywhere
    for (;;) {
      const from = Math.max(firstBlock, middle - Math.floor(size / 2))
      const to = Math.min(lastBlock, from + size - 1)
      if (to < from) return { ranges: 0, blocks, logs }
      const found = await readLogs(options, from, to)
      if (found === 'refused') {
        if (size === 1) throw new StoreError('The nodes give no logs: the snapshot cannot be checked.')
        size = Math.max(1, Math.floor(size / 4))
        continue
      }
      await compare(options, from, to, found)
      blocks += to - from + 1
      logs += found.length
      break
    }
  }
  return { ranges: RANGES, blocks, logs }
}

/** The block of the first event from `block` on; `block` itself if there is none. */
async function nextEvent({ db, header, lastBlock }: Options, block: number): Promise<number> {
  const found = await db
    .selectFrom('events')
    .select('block_number')
    .where('chain_id', '=', header.chainId)
    .where('block_number', '>=', block)
    .orderBy('block_number')
    .limit(1)
    .executeTakeFirst()
  return Math.min(found?.block_number ?? block, lastBlock)
}

async function readLogs({ node, signal }: Options, from: number, to: number) {
  try {
    const { logs, headers } = await node.logs({ from, to, headers: [to] }, signal)
    if (headers[0] === undefined)
      throw new StoreError(`The node that gives logs has no block ${to}: try again.`)
    return logs
  } catch (error) {
    if (error instanceof RangeRefusedError) return 'refused'
    throw error
  }
}

async function compare(options: Options, from: number, to: number, logs: readonly NodeLog[]): Promise<void> {
  const { db, header } = options
  const { chainId } = header
  const expected = await rowsOf(options, logs)
  for (const [name, column, counts, rowsIn] of TABLES) {
    const table = CHAIN_TABLES.find((known) => known.name === name)
    if (table === undefined) throw new Error(`there is no table ${name}`)
    const columns = Object.keys(table.columns)
    const isIn = sql`${sql.ref(column)} between ${from} and ${to}`
    const stored = await readRows(db, chainId, table, isIn, MOST_ROWS)
    const text = (cellOf: (column: string, index: number) => unknown) =>
      JSON.stringify(columns.map((one, index) => (counts(one) ? cellOf(one, index) : undefined)))
    const there = stored.map((row) => text((_, index): Cell => row[index] ?? null))
    const logged = rowsIn(expected).map((row) => {
      const cells = new Map<string, unknown>(Object.entries(row))
      return text((one) => cells.get(one) ?? null)
    })
    if (there.toSorted().join('\n') === logged.toSorted().join('\n')) continue
    throw new StoreError(
      `The snapshot differs from the logs of chain ${chainId} in blocks ${from} to ${to}: it has ${there.length} rows in ${name}, and the logs give ${logged.length}, or others.`,
    )
  }
}

async function rowsOf({ header, node, signal }: Options, logs: readonly NodeLog[]): Promise<StepRows> {
  try {
    const events = toEvents(logs)
    const created = events.flatMap(({ event }) =>
      event.type === 'SubLog' && event.eventName === 'Created' ? [event.id] : [],
    )
    // Final terms are the same at the head, whose state every node has.
    const terms: ReadonlyMap<Hex, ScheduleTerms> =
      created.length === 0 ? new Map() : await node.schedules(created, (await node.head(signal)).head, signal)
    return stepRows(header.chainId, { events }, terms)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new StoreError(`The snapshot cannot be checked. ${error.message}`, { cause: error })
  }
}
