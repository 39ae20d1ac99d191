import type { Selectable } from 'kysely'
import type { Queries } from '../../store/openStore.ts'
import type { IndexChainsTable } from '../../store/tables.ts'
import type { IndexState } from '../projection.ts'
import type { IndexTip } from '../source.ts'
import { rememberedBlock, tipBlock } from './blockRow.ts'

/** `undefined` if the store has no row of the chain. */
export async function findIndexState(db: Queries, chainId: number): Promise<IndexState | undefined> {
  const row = await findChain(db, chainId)
  if (row === undefined) return undefined
  const { finalized_block: finalizedBlock, alarm, source } = row
  return { block: tipBlock(row), finalizedBlock, alarm, source }
}

/** Throws if the chain has no row: the first lease makes it. */
export async function readTip(db: Queries, chainId: number): Promise<IndexTip> {
  const row = await findChain(db, chainId)
  if (row === undefined) throw new Error(`chain ${chainId} has no row before its first lease`)
  return {
    block: tipBlock(row),
    finalizedBlock: row.finalized_block,
    async rememberedBlocks(below, most) {
      const blocks = await db
        .selectFrom('index_blocks')
        .selectAll()
        .where('chain_id', '=', chainId)
        .where('number', '<=', below)
        .orderBy('number', 'desc')
        .limit(most)
        .execute()
      return blocks.map(rememberedBlock)
    },
  }
}

function findChain(db: Queries, chainId: number): Promise<Selectable<IndexChainsTable> | undefined> {
  return db.selectFrom('index_chains').selectAll().where('chain_id', '=', chainId).executeTakeFirst()
}
