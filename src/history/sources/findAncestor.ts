import type { BlockRef } from '../../core/history.ts'
import type { ChainNode } from '../../core/node.ts'
import type { IndexTip } from '../source.ts'

/** Remembered blocks that are taken from the store at once. */
const PAGE = 512
/** Headers of one question: they and the head's share one HTTP request. */
const MOST_ASKED = 39

/**
 * The newest remembered block that one node's chain still has: the tip's own where that chain is not
 * another after all; `undefined` where it has none of them.
 *
 * What a chain has stands on what else it has. So a few blocks, further and further back, are asked for at
 * once, and then those between the last that is gone and the first that is there.
 * @param head a block that the node must have, lest one that lags look like a chain that was cut
 */
export async function findAncestor(
  chain: Pick<ChainNode, 'headers'>,
  tip: IndexTip,
  head: BlockRef,
  node: number | undefined,
  signal: AbortSignal,
): Promise<BlockRef | 'lagging' | undefined> {
  let page: readonly BlockRef[] = [tip.block]
  while (page.length > 0) {
    const found = await firstKept(chain, page, head, node, signal)
    if (found !== undefined) return found
    const last = page.at(-1)
    if (last === undefined || last.number === 0) break
    page = await tip.rememberedBlocks(last.number - 1, PAGE)
  }
  return undefined
}

/** @param blocks newest first */
async function firstKept(
  chain: Pick<ChainNode, 'headers'>,
  blocks: readonly BlockRef[],
  head: BlockRef,
  node: number | undefined,
  signal: AbortSignal,
): Promise<BlockRef | 'lagging' | undefined> {
  // Those before `low` are gone; `high` is there, or past the end.
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

/** 0, 1, 3, 7 and so on, and the last. */
function strides(length: number): number[] {
  const indexes: number[] = []
  for (let index = 0; index < length - 1; index = 2 * index + 1) indexes.push(index)
  return [...indexes, length - 1]
}

/** At most MOST_ASKED indexes, evenly from `low` up to and without `high`. */
function spread(low: number, high: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / (MOST_ASKED - 1)))
  const indexes: number[] = []
  for (let index = low; index < high; index += step) indexes.push(index)
  return indexes
}
