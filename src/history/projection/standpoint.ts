import type { Selectable } from 'kysely'
import type { Queries } from '../../store/Store.ts'
import type { IndexChainsTable } from '../../store/tables.ts'
import type { Checkpoint } from '../projection.ts'
import type { Standpoint } from '../source.ts'
import { checkpointBlock, rememberedBlock } from './blockRow.ts'

/** The chain's row, as everybody may read it; `undefined` where the store has none. */
export async function findCheckpoint(db: Queries, chainId: number): Promise<Checkpoint | undefined> {
  const row = await findChain(db, chainId)
  if (row === undefined) return undefined
  const { finalized_block: finalizedBlock, alarm, source } = row
  return { block: checkpointBlock(row), finalizedBlock, alarm, source }
}

/** Where the next step begins. Throws where no lease of the chain was ever taken. */
export async function readStandpoint(db: Queries, chainId: number): Promise<Standpoint> {
  const row = await findChain(db, chainId)
  if (row === undefined) throw new Error(`chain ${chainId} has no standpoint before its lease was taken`)
  return {
    block: checkpointBlock(row),
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
