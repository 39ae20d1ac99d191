import type { Hex } from 'viem'
import type { BlockRef } from '../../ports/history.ts'
import type { ChainNodes } from '../../ports/nodes.ts'
import { type IndexTip, NodesDisagreeError } from '../../ports/source.ts'
import { MOST_REQUESTS } from '../../rpc/BatchSender.ts'

// The index's tip is its last block. A fork: the chain has other blocks than the index from some height on. A reorganisation: nodes have
// replaced blocks by others. A rollback: the chain has become shorter, as a development chain does on purpose.

/** How often a head below the index's tip must be seen before it counts as a rollback of the chain. */
const FEWEST_SIGHTINGS = 3

/**
 * What a source of events knows about reorganisations and rollbacks of its chain. `findAncestor`, below, finds the block
 * where an index and its chain part.
 */
export class Forks {
  readonly #nodes: ChainNodes
  readonly #now: () => number
  #lowerHead: { readonly hash: Hex; readonly since: number; sightings: number } | undefined
  #finalReorg: { readonly sentence: string; readonly until: number } | undefined

  /** @param options.now milliseconds of any clock */
  constructor(options: { nodes: ChainNodes; now: () => number }) {
    this.#nodes = options.nodes
    this.#now = options.now
  }

  /** The alarm of a reorganisation of final blocks, until the same height or the head is indexed again. */
  get alarm(): string | null {
    return this.#finalReorg?.sentence ?? null
  }

  /** Takes note of where index and chain are. Forgets a lower head once the head is as high as the tip, and ends an alarm that is over. */
  observe(tip: BlockRef, head: BlockRef): void {
    if (head.number >= tip.number) this.#lowerHead = undefined
    if (this.#finalReorg === undefined) return
    if (tip.hash === head.hash || tip.number >= this.#finalReorg.until) this.#finalReorg = undefined
  }

  /**
   * Takes note of a head below the tip. True once it was seen often and long enough to mean that the chain was rolled back: a
   * node that lags shows a low head too, but its head moves on.
   */
  noteLowerHead({ hash }: Pick<BlockRef, 'hash'>): boolean {
    if (this.#lowerHead?.hash !== hash) this.#lowerHead = { hash, since: this.#now(), sightings: 0 }
    this.#lowerHead.sightings += 1
    const { since, sightings } = this.#lowerHead
    return sightings >= FEWEST_SIGHTINGS && this.#now() - since >= this.#nodes.rollbackAfterMs
  }

  /**
   * A final block is given up only if no working node still has it, and each says so: one that fails or lags says nothing.
   * @param tip of the index, whose newest final block is asked about
   * @param fork the newest block of the index that `asked` has, and the head of its chain
   * @param asked a node that is known to have lost it
   * @throws NodesDisagreeError if one has it, or does not say
   */
  async assertLost(
    tip: IndexTip,
    { ancestor, head }: { ancestor: BlockRef; head: BlockRef },
    asked: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const [final] = await tip.rememberedBlocks(tip.finalizedBlock, 1)
    // The newest final block above the fork is asked about. The tip stands in where the index has no hash of one: it is a poorer
    // witness, because nodes may lose a block that is not final for other reasons.
    const block = final !== undefined && final.number > ancestor.number ? final : tip.block
    for (const node of this.#nodes.working()) {
      if (node === asked) continue
      const question = this.#nodes.headers([block.number, head.number], signal, node)
      const [header, newest] = await question.catch(() => [])
      signal.throwIfAborted()
      // A node without a block at this height says that it is lost only if it has followed the new branch.
      const hasLost = header === undefined ? newest?.hash === head.hash : header.hash !== block.hash
      if (hasLost) continue
      const says = header === undefined ? 'does not say whether it has' : 'still has'
      throw new NodesDisagreeError(
        `The nodes of chain ${this.#nodes.chainId} disagree about its final blocks: RPC ${node + 1} ${says} block ${block.number}, and another has lost it.`,
      )
    }
  }

  /** Raises the alarm: the chain has lost final blocks of the index above `ancestor`. */
  raise(ancestor: BlockRef, { block, finalizedBlock }: Pick<IndexTip, 'block' | 'finalizedBlock'>): void {
    const sentence =
      `Chain ${this.#nodes.chainId} was reorganised from block ${ancestor.number + 1} on, below block ${finalizedBlock} ` +
      'that counted as final: what was read of the lost blocks is gone, and the new ones are being read.'
    this.#finalReorg = { sentence, until: Math.max(block.number, this.#finalReorg?.until ?? 0) }
  }
}

/** How many stored blocks are read from the index's store at once. */
const BATCH = 512
/** How many headers are asked of a node at once: with the head's they fit into one HTTP request. */
const MOST_ASKED = MOST_REQUESTS - 1

/**
 * The newest stored block that a node still has on its chain: the tip itself if nothing was reorganised, `undefined`
 * if the node has none of them.
 *
 * A chain that has a block has all blocks before it. So a few blocks at growing distances are asked for at once, and
 * then those between the newest one that is there and the oldest one that is gone.
 * @param head a block that the node must have. A node without it is `lagging`, which looks like a rollback otherwise
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

/** The first of these blocks, newest first, that the node has on its chain; `undefined` if it has none of them. */
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
