import type { BlockRef } from '../../ports/history.ts'
import type { ChainNodes } from '../../ports/nodes.ts'
import type { IndexTip } from '../../ports/source.ts'
import { MOST_REQUESTS } from '../../rpc/BatchSender.ts'

/** How many stored blocks are read at once. */
const BATCH = 512
/** These headers and the head's fit into one HTTP request. */
const MOST_ASKED = MOST_REQUESTS - 1

/**
 * The newest stored block that a node still has on its chain: the tip itself if nothing was reorganised, `undefined`
 * if the node has none of them.
 *
 * A chain that has a block has all blocks before it. So a few blocks at growing distances are asked for at once, and
 * then those between the newest one that is there and the oldest one that is gone.
 * @param head a block that the node must have. A node without it lags, which looks like a rollback otherwise
 */
export async function findAncestor(
  chain: Pick<ChainNodes, 'headers'>,
  tip: IndexTip,
  head: BlockRef,
  node: number | undefined,
  signal: AbortSignal,
): Promise<BlockRef | 'lagging' | undefined> {
  let blocks: readonly BlockRef[] = [tip.block]
  while (blocks.length > 0) {
    const found = await firstKept(chain, blocks, head, node, signal)
    if (found !== undefined) return found
    const last = blocks.at(-1)
    if (last === undefined || last.number === 0) break
    blocks = await tip.rememberedBlocks(last.number - 1, BATCH)
  }
  return undefined
}

/** @param blocks newest first */
async function firstKept(
  chain: Pick<ChainNodes, 'headers'>,
  blocks: readonly BlockRef[],
  head: BlockRef,
  node: number | undefined,
  signal: AbortSignal,
): Promise<BlockRef | 'lagging' | undefined> {
  // Blocks before index `low` are gone. The one at `high` is there, or `high` is past the end.
  let low = 0
  let high = blocks.length
  let asked = strides(blocks.length)
  while (low < high) {
    const numbers = asked.map((index) => blocks[index]?.number ?? 0)
    const [seenHead, ...headers] = await chain.headers([head.number, ...numbers], signal, node)
    if (seenHead === undefined) return 'lagging'
    for (const [position, index] of asked.entries()) {
      if (headers[position]?.hash === blocks[index]?.hash) {
        high = Math.min(high, index)
        break
      }
      low = index + 1
    }
    asked = spread(low, high)
  }
  return blocks[high]
}

/** The indexes 0, 1, 3, 7 and so on, and the last one. */
function strides(length: number): number[] {
  const indexes: number[] = []
  for (let index = 0; index < length - 1; index = 2 * index + 1) indexes.push(index)
  return [...indexes, length - 1]
}

/** At most MOST_ASKED indexes, evenly spread from `low` to before `high`. */
function spread(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / (MOST_ASKED - 1)))
  const indexes: number[] = []
  for (let index = low; index < high; index += step) indexes.push(index)
  return indexes
}
