import type { BlockRef } from '../../../core/ports/history.ts'
import { type ChainNode, type NodeLogs, RangeRefusedError } from '../../../core/ports/node.ts'
import { blockOf, type Step } from '../../source.ts'
import { ChainBlocks } from './ChainBlocks.ts'
import { compareWithLogs } from './compareWithLogs.ts'
import { SubgraphFailedError } from './SubgraphFailedError.ts'
import type { Reading } from './SubgraphReader.ts'

/** Of a step's blocks that are not final, this many of the last ones are compared with the chain's logs. */
const COMPARED_BLOCKS = 100
/** The subgraph goes on while its pages are read, but not by more than this. The headers up to there are asked for. */
const MOST_AHEAD = 1_000

/**
 * Makes a step from what was read, after checking that it belongs to this chain.
 *
 * A subgraph's rows carry no block hash. But each answer names the subgraph's newest block. That block must be on the
 * chain, linked by parent hashes to the final blocks; then the rows of all blocks below it are of this chain too. In
 * addition the rows are compared with the contract's logs: of the last blocks that are not final, and of the last
 * block that has rows.
 *
 * Throws SubgraphFailedError if the chain or the subgraph changed while this was read, and SourceError if rows are
 * wrong.
 * @param chain the newest block and the newest final one, as known so far
 */
export async function tieToChain(
  node: ChainNode,
  ancestor: BlockRef,
  { to, events, metas }: Reading,
  { head, finalizedBlock }: Awaited<ReturnType<ChainNode['head']>>,
  signal: AbortSignal,
): Promise<Step> {
  const firstUnfinal = Math.max(ancestor.number, finalizedBlock) + 1
  const metaBlocks = metas.map(({ block }) => block.number)
  if (metaBlocks.some((number) => number > head.number + MOST_AHEAD)) {
    throw new SubgraphFailedError(
      `The subgraph of chain ${node.chainId} names a block far above the chain's head.`,
    )
  }
  const linked = to < firstUnfinal ? [] : range(firstUnfinal, Math.max(to, ...metaBlocks))
  const lastEvent = events.at(-1)?.blockNumber ?? to
  const numbers = [...new Set([ancestor.number, lastEvent, to, ...metaBlocks, ...linked])]

  const last = { from: lastEvent, to: lastEvent }
  const sample = to < firstUnfinal ? last : { from: Math.max(firstUnfinal, to - COMPARED_BLOCKS + 1), to }
  const ask = async (asked: typeof sample) => {
    const answer = await node.logs({ ...asked, headers: numbers }, signal)
    return { ...asked, ...answer }
  }
  const answer: NodeLogs & typeof sample = await ask(sample).catch((error: unknown) => {
    if (error instanceof RangeRefusedError && sample.from < sample.to) return ask(last)
    throw error
  })

  const { chainId } = node
  const blocks = new ChainBlocks(chainId, numbers, answer.headers)
  if (!blocks.has(ancestor) || !metas.every(({ block }) => blocks.has(block))) {
    throw new SubgraphFailedError(`Chain ${chainId} was reorganised while its subgraph was read.`)
  }
  await compareWithLogs(node, events, answer, blocks, signal)
  if (lastEvent < answer.from) {
    const { logs } = await node.logs({ ...last, headers: [] }, signal)
    await compareWithLogs(node, events, { ...last, logs }, blocks, signal)
  }
  return {
    ancestor,
    to: blockOf(blocks.get(to)),
    finalizedBlock: answer.finalizedBlock,
    events,
    blocks: blocks.between(Math.min(firstUnfinal, to), to),
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}
