import type { Hex } from 'viem'
import type { BlockRef } from '../../ports/history.ts'
import type { ChainNodes } from '../../ports/nodes.ts'
import { type IndexTip, NodesDisagreeError } from '../../ports/source.ts'

/** How often a head below the tip must be seen before it counts. */
const FEWEST_SIGHTINGS = 3

/** What a source knows about reorganisations and rollbacks of its chain. */
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

  /** Takes note of the newest block of the index and of the chain. Ends what is over: a low head, and the alarm. */
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
    // Not the tip where it can be helped: blocks that are not final come and go.
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
