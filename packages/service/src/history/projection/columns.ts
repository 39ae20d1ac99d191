import type { BlockRef } from '@remit/engine/ports/history'
import type { Insertable, Selectable } from 'kysely'
import type { Hex } from 'viem'
import type { IndexBlocksTable, IndexChainsTable } from '../../store/indexTables.ts'

// How blocks and hex are written into columns and read back, and how many rows go into one statement.

/** A block as a row of `index_blocks`, which holds the hashes of recent blocks and of some older ones. */
export function blockRow(chainId: number, block: BlockRef): Insertable<IndexBlocksTable> {
  return {
    chain_id: chainId,
    number: block.number,
    hash: block.hash.toLowerCase(),
    parent_hash: block.parentHash.toLowerCase(),
    timestamp: block.timestamp,
  }
}

/** The block of a row of `index_blocks`. Throws as `toHex`. */
export function rememberedBlock(row: Selectable<IndexBlocksTable>): BlockRef {
  const { number, hash, parent_hash, timestamp } = row
  return { number, hash: toHex(hash), parentHash: toHex(parent_hash), timestamp }
}

/** A chain's tip, which is the last block that is indexed, as columns of its row in `index_chains`. */
export function tipColumns(block: BlockRef) {
  return {
    block_number: block.number,
    block_hash: block.hash.toLowerCase(),
    block_parent_hash: block.parentHash.toLowerCase(),
    block_timestamp: block.timestamp,
  }
}

/** The tip of a row of `index_chains`. Throws as `toHex`. */
export function tipBlock(row: Selectable<IndexChainsTable>): BlockRef {
  return {
    number: row.block_number,
    hash: toHex(row.block_hash),
    parentHash: toHex(row.block_parent_hash),
    timestamp: row.block_timestamp,
  }
}

/** Checks that a text of the store is hex. @throws Error if it is not: the store is damaged */
export function toHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`the store holds ${text.slice(0, 80)} where hex was written`)
  return text
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-f]*$/.test(text)
}

/** SQLite accepts 32,766 parameters in a statement, Postgres 65,535. */
const MOST_PARAMETERS = 32_766
/** Longer statements are not faster. */
const MOST_ROWS = 250

/**
 * Calls `write` with the rows, or the keys to look for, in groups that fit into one statement: one group after the other, each once the
 * one before is written. All rows have the columns of the first. Without rows nothing is called.
 */
export async function inChunks<Row extends object | string | number>(
  rows: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = typeof first === 'object' ? Object.keys(first).length : 1
  const size = Math.min(MOST_ROWS, Math.floor(MOST_PARAMETERS / columns))
  for (let start = 0; start < rows.length; start += size) await write(rows.slice(start, start + size))
}
