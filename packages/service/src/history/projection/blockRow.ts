import type { BlockRef } from '@remit/engine/ports/history'
import type { Insertable, Selectable } from 'kysely'
import type { IndexBlocksTable, IndexChainsTable } from '../../store/indexTables.ts'
import { toHex } from './toHex.ts'

export function blockRow(chainId: number, block: BlockRef): Insertable<IndexBlocksTable> {
  return {
    chain_id: chainId,
    number: block.number,
    hash: block.hash.toLowerCase(),
    parent_hash: block.parentHash.toLowerCase(),
    timestamp: block.timestamp,
  }
}

export function rememberedBlock(row: Selectable<IndexBlocksTable>): BlockRef {
  const { number, hash, parent_hash, timestamp } = row
  return { number, hash: toHex(hash), parentHash: toHex(parent_hash), timestamp }
}

/** The last indexed block, as columns of the chain's row. */
export function tipColumns(block: BlockRef) {
  return {
    block_number: block.number,
    block_hash: block.hash.toLowerCase(),
    block_parent_hash: block.parentHash.toLowerCase(),
    block_timestamp: block.timestamp,
  }
}

export function tipBlock(row: Selectable<IndexChainsTable>): BlockRef {
  return {
    number: row.block_number,
    hash: toHex(row.block_hash),
    parentHash: toHex(row.block_parent_hash),
    timestamp: row.block_timestamp,
  }
}
