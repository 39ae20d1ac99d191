import type { BlockRef } from '../../../core/history.ts'
import type { Log } from '../../../core/log.ts'
import { type ChainNode, NodeLagsError, RangeRefusedError } from '../../../core/node.ts'
import { UpstreamError } from '../../../errors/chain.ts'
import { type EventSource, type IndexTip, type Next, SourceError, type Step } from '../../source.ts'
import { blockOf } from '../blockOf.ts'
import { DeepForkAlarm } from '../DeepForkAlarm.ts'
import { findAncestor } from '../findAncestor.ts'
import { RollbackWatch } from '../RollbackWatch.ts'
import { NodeTrust } from './NodeTrust.ts'
import { MOST_HEADERS, RangeReader } from './RangeReader.ts'
import { UndecidedError } from './settleDispute.ts'
import { toStep } from './toStep.ts'
import { Wakes } from './Wakes.ts'
import { WITNESS_PATIENCE_MS, WitnessPatience } from './WitnessPatience.ts'

/** A new branch of up to so many blocks comes in the step that takes the lost one away. */
const MOST_BRANCH = 4 * MOST_HEADERS

/** What to do next from a tip, as one node has it. */
type Move = Step | 'lagging'

interface Options {
  readonly node: ChainNode
  readonly firstBlock: number
  readonly log: Log
  readonly now?: () => number
  readonly witnessPatienceMs?: number
}

/**
 * Makes the source that reads the contract's logs from the chain's nodes.
 * @param options.now milliseconds of any clock
 * @param options.witnessPatienceMs how long final blocks wait for a second node, where there is one
 */
export function createRpcSource(options: Options): EventSource {
  return new RpcSource(options)
}

class RpcSource implements EventSource {
  readonly kind = 'rpc'
  readonly #chain: ChainNode
  readonly #firstBlock: number
  readonly #trust: NodeTrust
  readonly #reader: RangeReader
  readonly #rollback: RollbackWatch
  readonly #alarm: DeepForkAlarm
  readonly #wakes: Wakes

  constructor(options: Options) {
    const { node: chain, firstBlock, log, now = () => performance.now() } = options
    const { chainId, rollbackAfterMs } = chain
    const patienceMs = options.witnessPatienceMs ?? WITNESS_PATIENCE_MS
    const patience = new WitnessPatience({ chainId, log, now, patienceMs })
    this.#chain = chain
    this.#firstBlock = firstBlock
    this.#trust = new NodeTrust({ node: chain, log, now })
    this.#reader = new RangeReader({ chain, trust: this.#trust, patience, now })
    this.#rollback = new RollbackWatch({ afterMs: rollbackAfterMs, now })
    this.#alarm = new DeepForkAlarm(chainId)
    this.#wakes = new Wakes(chain)
  }

  async origin(signal: AbortSignal): Promise<BlockRef> {
    const number = Math.max(0, this.#firstBlock - 1)
    const [header] = await this.#chain.headers([number], signal)
    if (header === undefined) {
      throw new SourceError(`Chain ${this.#chain.chainId} has no block ${number}, where its index begins.`)
    }
    return blockOf(header)
  }

  async next(tip: IndexTip, signal: AbortSignal): Promise<Next> {
    const { head, finalizedBlock } = await this.#chain.head(signal)
    const { block } = tip
    this.#alarm.seen(block, head)
    if (head.number >= block.number) this.#rollback.reset()
    if (head.hash === block.hash) return this.#idle(head)
    if (head.number < block.number && (await this.#mayLag(tip, head))) return this.#soon(head)

    let failure: unknown
    for (const node of this.#trust.order()) {
      try {
        const move = await this.#move(tip, head, finalizedBlock, node, signal)
        if (move === 'lagging') continue
        this.#wakes.reset()
        return { kind: 'step', step: move, progress: this.#progress(head) }
      } catch (error) {
        signal.throwIfAborted()
        // Another node's answer alone would only hide that there are two.
        if (error instanceof UndecidedError) throw error
        if (error instanceof NodeLagsError) continue
        if (error instanceof SourceError) this.#trust.distrust(node, error.message)
        if (error instanceof UpstreamError && error.cause instanceof RangeRefusedError) {
          this.#trust.distrust(node, 'It gives no logs, not even of one block.')
        }
        failure = error
      }
    }
    if (failure !== undefined) throw failure
    return this.#soon(head)
  }

  onNews(wake: () => void): () => void {
    return this.#wakes.listen(wake)
  }

  async #move(
    tip: IndexTip,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<Move> {
    const { block: base } = tip
    if (head.number > base.number) {
      const goal = { base, head, finalizedBlock, mostWhole: MOST_HEADERS }
      const read = await this.#reader.read(goal, node, signal)
      if (read === 'lagging') return read
      if (read !== 'forked') return toStep(read)
    }
    return this.#moveToFork(tip, head, finalizedBlock, node, signal)
  }

  async #moveToFork(
    tip: IndexTip,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<Move> {
    const ancestor = await findAncestor(this.#chain, tip, head, node, signal)
    if (ancestor === undefined) {
      throw new SourceError(
        `Chain ${this.#chain.chainId} has none of the blocks that its index remembers: it is another chain.`,
      )
    }
    // This node still has the tip's block: it is behind the one that named the head.
    if (ancestor === 'lagging' || ancestor.hash === tip.block.hash) return 'lagging'
    const isDeep = ancestor.number < tip.finalizedBlock
    if (isDeep) await this.#assertLost(tip.block, node, signal)

    const step = await this.#branchFrom(ancestor, head, finalizedBlock, node, signal)
    if (step === 'lagging') return step
    if (isDeep) this.#alarm.raise(ancestor, tip)
    const rollback = { ancestor, to: ancestor, events: [], blocks: [] }
    return step ?? { ...rollback, finalizedBlock: Math.min(finalizedBlock, ancestor.number) }
  }

  /** The lost branch and the new one in a single step; `undefined` where the new one is too long for that. */
  async #branchFrom(
    ancestor: BlockRef,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<Move | undefined> {
    const blocks = head.number - ancestor.number
    if (blocks <= 0 || blocks > MOST_BRANCH) return undefined
    const goal = { base: ancestor, head, finalizedBlock, mostWhole: MOST_BRANCH }
    const read = await this.#reader.read(goal, node, signal)
    // Reorganised once more meanwhile.
    if (read === 'lagging' || read === 'forked') return 'lagging'
    return toStep(read)
  }

  /** A head below the tip is a node that lags, until nodes insist on it, or have another block there. */
  async #mayLag(tip: IndexTip, head: BlockRef): Promise<boolean> {
    const [remembered] = await tip.rememberedBlocks(head.number, 1)
    if (remembered?.number === head.number && remembered.hash !== head.hash) return false
    return !this.#rollback.below(head)
  }

  /** What is final goes only where no node that can be asked still has it. */
  async #assertLost(block: BlockRef, asked: number | undefined, signal: AbortSignal): Promise<void> {
    for (const node of this.#chain.working()) {
      if (node === asked) continue
      const [header] = await this.#chain.headers([block.number], signal, node).catch(() => [])
      if (header?.hash !== block.hash) continue
      throw new UndecidedError(
        `The nodes of chain ${this.#chain.chainId} disagree about its final blocks: one has lost block ${block.number}, and RPC ${node + 1} has not.`,
      )
    }
  }

  #idle(head: BlockRef): Next {
    this.#wakes.reset()
    return { kind: 'idle', progress: this.#progress(head) }
  }

  /** Nothing to do just now, but likely before the next head. */
  #soon(head: BlockRef): Next {
    this.#wakes.soon()
    return { kind: 'idle', progress: this.#progress(head) }
  }

  #progress(head: BlockRef) {
    return { headNumber: head.number, alarm: this.#alarm.sentence }
  }
}
