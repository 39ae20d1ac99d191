import type { IndexTip } from '@remit/engine/ports/source'
import type { CompiledQuery, Selectable } from 'kysely'
import type { IndexChainsTable } from '../../store/indexTables.ts'
import type { Queries } from '../../store/openStore.ts'
import type { IndexState } from '../projection.ts'
import { followedTokens } from './approvals.ts'
import { rememberedBlock, tipBlock } from './columns.ts'

// Reads the chain's row in `index_chains`: as the state that goes with every answer, and as the tip that a step starts from.

/** `undefined` if the store has no row of the chain. */
export async function findIndexState(db: Queries, chainId: number): Promise<IndexState | undefined> {
  return stateOf(await findChain(db, chainId))
}

/** Makes a reader that answers as `findIndexState`. It builds the query once for each chain, because nearly every request asks it. */
export function createStateReader(db: Queries): (chainId: number) => Promise<IndexState | undefined> {
  const built = new Map<number, CompiledQuery<ChainRow>>()
  return async (chainId) => {
    const query = built.get(chainId) ?? chainQuery(db, chainId).compile()
    built.set(chainId, query)
    const { rows } = await db.executeQuery(query)
    return stateOf(rows[0])
  }
}

type ChainRow = Selectable<IndexChainsTable>

function stateOf(row: ChainRow | undefined): IndexState | undefined {
  if (row === undefined) return undefined
  const { finalized_block: finalizedBlock, approvals_read_to: approvalsReadTo, alarm, source } = row
  const { providers_checked: providersChecked } = row
  return { block: tipBlock(row), finalizedBlock, alarm, source, approvalsReadTo, providersChecked }
}

/** Throws if the chain has no row: the first lease makes it. */
export async function readTip(db: Queries, chainId: number): Promise<IndexTip> {
  const row = await findChain(db, chainId)
  if (row === undefined) throw new Error(`chain ${chainId} has no row before its first lease`)
  return {
    block: tipBlock(row),
    finalizedBlock: row.finalized_block,
    approvalsOf: await followedTokens(db, chainId),
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

function findChain(db: Queries, chainId: number): Promise<ChainRow | undefined> {
  return chainQuery(db, chainId).executeTakeFirst()
}

function chainQuery(db: Queries, chainId: number) {
  return db.selectFrom('index_chains').selectAll().where('chain_id', '=', chainId)
}
