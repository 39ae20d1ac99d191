import { toEvents } from '@remit/engine/indexing/logs/decodeLogs'
import type { BlockRef } from '@remit/engine/ports/history'
import {
  type BlockPlace,
  type ChainNodes,
  type NodeHeader,
  type NodeLog,
  type NodeLogs,
  RangeRefusedError,
} from '@remit/engine/ports/nodes'
import { blockOf, type PlacedEvent, SourceError, type Step } from '@remit/engine/ports/source'
import { SubgraphFailedError, UnusableRowsError } from './SubgraphClient.ts'
import type { SubgraphRows } from './SubgraphReader.ts'

/** So many blocks are compared with the chain's logs at most: the last ones of a step that are not final. */
const COMPARED_BLOCKS = 100

type ChainHead = Awaited<ReturnType<ChainNodes['head']>>

/**
 * Makes a step from what was read, after checking that it belongs to this chain.
 *
 * A subgraph's rows carry no block hash. But each answer names the subgraph's newest block. That block must be on the
 * chain, linked by parent hashes to the final blocks; then the rows of all blocks below it are of this chain too. In
 * addition the rows of some blocks are compared with the contract's logs (the sample): of the last blocks that are not final, and of
 * the last block that has rows.
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
  // The rows that can be checked, which are all unless the subgraph is ahead; and the blocks that must be on the chain for that.
  const { ancestor, readBlock } = base
  const firstUnfinal = Math.max(ancestor.number, chain.finalizedBlock) + 1
  const newest = Math.max(chain.head.number, readBlock.number)
  const named = rows.metas.map(({ block }) => block)
  const isAhead = named.some(({ number }) => number > newest)
  const { to, events } = isAhead ? upTo(firstUnfinal + COMPARED_BLOCKS - 1, rows) : rows

  const onChain = [readBlock, ...named.filter(({ number }) => number <= newest)]
  const onChainNumbers = onChain.map(({ number }) => number)
  // All blocks from the first that is not final: `ChainBlocks` checks that each names the one before as its parent.
  const linked = to < firstUnfinal ? [] : range(firstUnfinal, isAhead ? to : Math.max(to, ...onChainNumbers))
  const lastRowBlock = events.at(-1)?.blockNumber ?? to
  const numbers = [...new Set([ancestor.number, lastRowBlock, to, ...onChainNumbers, ...linked])]

  // The range whose rows are compared. If a node refuses so long a range: the last block with rows alone, or, where the subgraph is
  // ahead and all must be compared, a shorter step.
  const lastRowAlone = { from: lastRowBlock, to: lastRowBlock }
  const sample =
    to < firstUnfinal ? lastRowAlone : { from: Math.max(firstUnfinal, to - COMPARED_BLOCKS + 1), to }
  const ask = async (asked: typeof sample) => {
    const answer = await nodes.logs({ ...asked, headers: numbers }, signal)
    return { ...asked, ...answer }
  }
  const answer: (NodeLogs & typeof sample) | undefined = await ask(sample).catch((error: unknown) => {
    if (!(error instanceof RangeRefusedError) || sample.from === sample.to) throw error
    return isAhead ? undefined : ask(lastRowAlone)
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
  if (lastRowBlock < answer.from) {
    const { logs } = await nodes.logs({ ...lastRowAlone, headers: [] }, signal)
    await compareWithLogs(nodes, events, { ...lastRowAlone, logs }, blocks, signal)
  }
  return {
    ancestor,
    to: blockOf(blocks.get(to)),
    finalizedBlock: answer.finalizedBlock,
    events,
    blocks: blocks.between(Math.min(firstUnfinal, to), to),
  }
}

/** The rows up to a block, which becomes the last one. */
function upTo(block: number, rows: SubgraphRows): SubgraphRows {
  if (block >= rows.to) return rows
  return {
    ...rows,
    to: block,
    events: rows.events.filter(({ blockNumber }) => blockNumber <= block),
  }
}

/** The numbers of the blocks from one to another, both included. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/** The range that is compared, with the contract's logs in it. */
interface Sample {
  readonly from: number
  readonly to: number
  readonly logs: readonly NodeLog[]
}

/**
 * Compares the subgraph's rows in a range with the chain's logs. This finds a subgraph of another contract, and one
 * whose handlers leave events out or place them wrongly.
 *
 * Throws UnusableRowsError if they differ. Throws SubgraphFailedError if the nodes' own logs cannot be read, or do not match the filter
 * of all logs in their block's header (bloom): then nothing is known of the subgraph, and it can be compared again later.
 */
export async function compareWithLogs(
  nodes: ChainNodes,
  events: readonly PlacedEvent[],
  sample: Sample,
  blocks: ChainBlocks,
  signal: AbortSignal,
): Promise<void> {
  const { from, to, logs } = sample
  const inRange = events.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
  const given = textsByBlock(inRange)
  const logged = textsByBlock(readable(nodes, logs))
  for (const number of new Set([...logged.keys(), ...given.keys()])) {
    if (logged.get(number) === given.get(number)) continue
    // The node may have left logs out. The block's receipts decide, if they match its bloom.
    const header = blocks.get(number)
    const receipts = await nodes.receiptLogs(header, signal)
    if (textsByBlock(readable(nodes, receipts.logs)).get(number) === given.get(number)) continue
    if (!receipts.fitBloom) {
      throw new SubgraphFailedError(
        `The nodes of chain ${nodes.chainId} contradict themselves at block ${number}.`,
      )
    }
    throw new UnusableRowsError(
      `The subgraph of chain ${nodes.chainId} differs from the chain's own logs at block ${number}: it follows another contract, or is wrong.`,
      number,
    )
  }
}

/**
 * The events of a node's logs. Where the node gives logs that cannot be read, SubgraphFailedError says only that the
 * subgraph cannot be compared now. A SourceError would end its use for good.
 */
function readable({ chainId }: ChainNodes, logs: readonly NodeLog[]): PlacedEvent[] {
  try {
    return toEvents(logs)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new SubgraphFailedError(`The nodes of chain ${chainId} give logs that cannot be read.`)
  }
}

/** Each block's events as a text, which is the same for the same events in the same order. */
function textsByBlock(events: readonly PlacedEvent[]): ReadonlyMap<number, string> {
  const byBlock = new Map<number, string>()
  for (const { blockNumber, logIndex, transactionHash, event } of events) {
    const fields = Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))
    const text = JSON.stringify([logIndex, transactionHash, fields], (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    byBlock.set(blockNumber, `${byBlock.get(blockNumber) ?? ''}${text}\n`)
  }
  return byBlock
}

/** Some blocks of one node's chain, by number. The subgraph is compared with them. */
export class ChainBlocks {
  readonly #chainId: number
  readonly #byNumber = new Map<number, NodeHeader>()

  /**
   * Throws SubgraphFailedError if the node lacks a block, or two neighbouring blocks are of different forks.
   * @param numbers the numbers of `headers`, in the same order
   */
  constructor(chainId: number, numbers: readonly number[], headers: readonly (NodeHeader | undefined)[]) {
    this.#chainId = chainId
    numbers.forEach((number, index) => {
      const header = headers[index]
      if (header === undefined) throw this.#lacks(number)
      this.#byNumber.set(number, header)
    })
    for (const [number, { parentHash }] of this.#byNumber) {
      const parent = this.#byNumber.get(number - 1)
      if (parent !== undefined && parent.hash !== parentHash) {
        throw new SubgraphFailedError(`Chain ${chainId} was reorganised at block ${number} just now.`)
      }
    }
  }

  /** Throws SubgraphFailedError if it is not one of them. */
  get(number: number): NodeHeader {
    const found = this.#byNumber.get(number)
    if (found === undefined) throw this.#lacks(number)
    return found
  }

  has(block: Pick<BlockRef, 'number' | 'hash'>): boolean {
    return this.#byNumber.get(block.number)?.hash === block.hash
  }

  /** Those of these blocks that are in the range, both ends included, in the order of their numbers. */
  between(from: number, to: number): BlockRef[] {
    const numbers = [...this.#byNumber.keys()].filter((number) => number >= from && number <= to)
    return numbers.sort((a, b) => a - b).map((number) => blockOf(this.get(number)))
  }

  #lacks(number: number): SubgraphFailedError {
    return new SubgraphFailedError(`The nodes of chain ${this.#chainId} lack block ${number}.`)
  }
}
