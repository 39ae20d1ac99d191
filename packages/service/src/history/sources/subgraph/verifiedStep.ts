import type { BlockRef } from '@remit/engine/ports/history'
import { type BlockPlace, type ChainNodes, type NodeLogs, RangeRefusedError } from '@remit/engine/ports/nodes'
import { blockOf, type Step } from '@remit/engine/ports/source'
import { ChainBlocks } from './ChainBlocks.ts'
import { compareWithLogs } from './compareWithLogs.ts'
import type { SubgraphRows } from './SubgraphReader.ts'
import { SubgraphFailedError } from './subgraphErrors.ts'

/** Of a step's blocks that are not final, this many of the last ones are compared with the chain's logs. */
const COMPARED_BLOCKS = 100

type ChainHead = Awaited<ReturnType<ChainNodes['head']>>

/**
 * Makes a step from what was read, after checking that it belongs to this chain.
 *
 * A subgraph's rows carry no block hash. But each answer names the subgraph's newest block. That block must be on the
 * chain, linked by parent hashes to the final blocks; then the rows of all blocks below it are of this chain too. In
 * addition the rows are compared with the contract's logs: of the last blocks that are not final, and of the last
 * block that has rows.
 *
 * While the subgraph is ahead of the nodes, its newest block shows nothing. Then the rows of all blocks that are not
 * final are compared, for which the step may have to end earlier.
 *
 * Throws SubgraphFailedError if the chain or the subgraph changed while this was read, and UnusableRowsError if rows are
 * wrong.
 * @param base.ancestor the block before the step
 * @param base.readBlock the block at which the subgraph was read
 * @param chain the newest block and the newest final one, as known so far
 */
export async function verifiedStep(
  nodes: ChainNodes,
  base: { readonly ancestor: BlockRef; readonly readBlock: BlockPlace },
  rows: SubgraphRows,
  chain: ChainHead,
  signal: AbortSignal,
): Promise<Step> {
  const { ancestor, readBlock } = base
  const firstUnfinal = Math.max(ancestor.number, chain.finalizedBlock) + 1
  const newest = Math.max(chain.head.number, readBlock.number)
  const named = rows.metas.map(({ block }) => block)
  const isAhead = named.some(({ number }) => number > newest)
  const { to, events } = isAhead ? upTo(firstUnfinal + COMPARED_BLOCKS - 1, rows) : rows

  const onChain = [readBlock, ...named.filter(({ number }) => number <= newest)]
  const places = onChain.map(({ number }) => number)
  const linked = to < firstUnfinal ? [] : range(firstUnfinal, isAhead ? to : Math.max(to, ...places))
  const lastEvent = events.at(-1)?.blockNumber ?? to
  const numbers = [...new Set([ancestor.number, lastEvent, to, ...places, ...linked])]

  const last = { from: lastEvent, to: lastEvent }
  const sample = to < firstUnfinal ? last : { from: Math.max(firstUnfinal, to - COMPARED_BLOCKS + 1), to }
  const ask = async (asked: typeof sample) => {
    const answer = await nodes.logs({ ...asked, headers: numbers }, signal)
    return { ...asked, ...answer }
  }
  const answer: (NodeLogs & typeof sample) | undefined = await ask(sample).catch((error: unknown) => {
    if (!(error instanceof RangeRefusedError) || sample.from === sample.to) throw error
    return isAhead ? undefined : ask(last)
  })
  if (answer === undefined) {
    const fewer = sample.from + Math.floor((sample.to - sample.from) / 4)
    return verifiedStep(nodes, base, upTo(fewer, rows), chain, signal)
  }

  const { chainId } = nodes
  const blocks = new ChainBlocks(chainId, numbers, answer.headers)
  if (!blocks.has(ancestor) || !onChain.every((place) => blocks.has(place))) {
    throw new SubgraphFailedError(`Chain ${chainId} was reorganised while its subgraph was read.`)
  }
  await compareWithLogs(nodes, events, answer, blocks, signal)
  if (lastEvent < answer.from) {
    const { logs } = await nodes.logs({ ...last, headers: [] }, signal)
    await compareWithLogs(nodes, events, { ...last, logs }, blocks, signal)
  }
  return {
    ancestor,
    to: blockOf(blocks.get(to)),
    finalizedBlock: answer.finalizedBlock,
    events,
    blocks: blocks.between(Math.min(firstUnfinal, to), to),
  }
}

function upTo(block: number, rows: SubgraphRows): SubgraphRows {
  if (block >= rows.to) return rows
  return {
    ...rows,
    to: block,
    events: rows.events.filter(({ blockNumber }) => blockNumber <= block),
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}
