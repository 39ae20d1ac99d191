import { type Address, getAddress } from 'viem'
import { UpstreamError } from '../../errors/chain.ts'
import type { BlockRef } from '../../ports/history.ts'
import type { Log } from '../../ports/log.ts'
import { type ChainNodes, NodeLagsError, RangeRefusedError } from '../../ports/nodes.ts'
import {
  blockOf,
  type EventSource,
  type IndexTip,
  NodesDisagreeError,
  type SourceAnswer,
  SourceError,
  type Step,
} from '../../ports/source.ts'
import type { CheckedRange } from './checkRange.ts'
import { toApprovals, toEvents } from './decodeLogs.ts'
import { Forks, findAncestor } from './Forks.ts'
import { NodeTrust } from './NodeTrust.ts'
import { type RangeGoal, RangeReader } from './RangeReader.ts'

/**
 * How many headers are read at once near the head. With the base's header, the final one, the logs and the approvals they
 * are 40 questions, which travel as one HTTP request.
 */
const MOST_HEADERS = 36

/** A new branch of up to this many blocks is written in the same step that deletes the lost one. A longer one takes two steps or more. */
const MOST_BRANCH = 4 * MOST_HEADERS

/** The next step from a tip, by one node's answers; `lagging` if that node lacks the blocks for it. */
type NodeStep = Step | 'lagging'

interface Options {
  readonly nodes: ChainNodes
  readonly firstBlock: number
  readonly log: Log
  readonly now?: () => number
  readonly secondNodeWaitMs?: number
  /** Reads approvals alone, up to this head. */
  readonly approvalsUpTo?: ChainNodes['head']
}

/**
 * Makes the source of an index that reads the contract's logs from the chain's nodes. `next` is asked from the index's tip, its last
 * block, and gives one step: new blocks with their events, or back to the block where the chain has left the index's branch.
 *
 * 1. The head tells whether there is anything to do. One below the tip must be seen for some time (`Forks`): its node may lag.
 * 2. Of the nodes, in the order of trust, the first is asked for the next range (`RangeReader`, which compares two nodes).
 * 3. If that node has another block than the tip, the common ancestor is found (`findAncestor`), and the new branch read from there.
 * 4. A node that lags, fails or contradicts itself is passed over for the next. Where two disagree, nothing is written.
 * @param options.now milliseconds of any clock
 * @param options.secondNodeWaitMs how long final blocks wait for a second node, if one is configured
 * @param options.approvalsUpTo makes a source that reads approvals of tokens alone, up to the head that it gives, for blocks whose
 *   approvals no step has read yet (the service's PastApprovals). The contract's own logs are left out
 */
export function createRpcSource(options: Options): EventSource {
  return new RpcSource(options)
}

class RpcSource implements EventSource {
  readonly kind = 'rpc'
  readonly #chain: ChainNodes
  readonly #firstBlock: number
  readonly #trust: NodeTrust
  readonly #reader: RangeReader
  readonly #forks: Forks
  readonly #head: ChainNodes['head']
  /** Whether the contract's own logs are read, or approvals alone. */
  readonly #readsHistory: boolean

  constructor(options: Options) {
    const { nodes: chain, firstBlock, log, now = () => performance.now() } = options
    this.#chain = chain
    this.#firstBlock = firstBlock
    this.#trust = new NodeTrust({ nodes: chain, log, now, waitMs: options.secondNodeWaitMs })
    this.#reader = new RangeReader({ chain, nodes: this.#trust, now })
    this.#forks = new Forks({ nodes: chain, now })
    this.#head = options.approvalsUpTo ?? ((signal) => chain.head(signal))
    this.#readsHistory = options.approvalsUpTo === undefined
  }

  async origin(signal: AbortSignal): Promise<BlockRef> {
    const number = Math.max(0, this.#firstBlock - 1)
    const [header] = await this.#chain.headers([number], signal)
    if (header === undefined) {
      throw new SourceError(`Chain ${this.#chain.chainId} has no block ${number}, where its index begins.`)
    }
    return blockOf(header)
  }

  async next(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer> {
    const { head, finalizedBlock } = await this.#head(signal)
    const { block } = tip
    this.#forks.observe(block, head)
    if (head.hash === block.hash) return { kind: 'idle', progress: this.#progress(head) }
    if (head.number < block.number && (await this.#mayLag(tip, head))) return this.#askAgainSoon(head)

    let failure: unknown
    for (const node of this.#trust.order()) {
      try {
        const step = await this.#stepFrom(tip, head, finalizedBlock, node, signal)
        if (step === 'lagging') continue
        return { kind: 'step', step, progress: this.#progress(head) }
      } catch (error) {
        signal.throwIfAborted()
        // Not passed over: the next node's answer, taken alone, would hide that two nodes disagree.
        if (error instanceof NodesDisagreeError) throw error
        if (error instanceof NodeLagsError) continue
        if (error instanceof SourceError) this.#trust.distrust(node, error.message)
        if (error instanceof UpstreamError && error.cause instanceof RangeRefusedError) {
          this.#trust.distrust(node, 'It gives no logs, not even of one block.')
        }
        failure = error
      }
    }
    if (failure !== undefined) throw failure
    return this.#askAgainSoon(head)
  }

  onNews(wake: () => void): () => void {
    return this.#chain.onHead(wake)
  }

  /** The step that one node's answers give: onwards, or to where the chain has forked. */
  async #stepFrom(
    tip: IndexTip,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<NodeStep> {
    const { block: base } = tip
    if (head.number > base.number) {
      const goal = { base, head, finalizedBlock, mostHeaders: MOST_HEADERS }
      const step = await this.#read(tip, goal, node, signal)
      if (step !== 'forked') return step
    }
    return this.#stepToFork(tip, head, finalizedBlock, node, signal)
  }

  /** Leaves the lost branch: to the new one, or only back to the newest common block. */
  async #stepToFork(
    tip: IndexTip,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<NodeStep> {
    const ancestor = await findAncestor(this.#chain, tip, head, node, signal)
    if (ancestor === undefined) {
      throw new SourceError(
        `Chain ${this.#chain.chainId} has none of the blocks that its index remembers: it is another chain.`,
      )
    }
    // If this node still has the tip, it lags behind the node whose head this is.
    if (ancestor === 'lagging' || ancestor.hash === tip.block.hash) return 'lagging'
    const isDeep = ancestor.number < tip.finalizedBlock
    if (isDeep) await this.#forks.assertLost(tip, { ancestor, head }, node, signal)

    const step = await this.#branchFrom(tip, ancestor, head, finalizedBlock, node, signal)
    if (step === 'lagging') return step
    if (isDeep) this.#forks.raise(ancestor, tip)
    // The new branch is too long for this step: only go back.
    const approvals = { tokens: tip.approvalsOf, rows: [] }
    const rollback = { ancestor, to: ancestor, events: [], approvals, blocks: [] }
    return step ?? { ...rollback, finalizedBlock: Math.min(finalizedBlock, ancestor.number) }
  }

  /** One step from the lost branch to the new one; `undefined` if the new one is too long for one step. */
  async #branchFrom(
    tip: IndexTip,
    ancestor: BlockRef,
    head: BlockRef,
    finalizedBlock: number,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<NodeStep | undefined> {
    const blocks = head.number - ancestor.number
    if (blocks <= 0 || blocks > MOST_BRANCH) return undefined
    const goal = { base: ancestor, head, finalizedBlock, mostHeaders: MOST_BRANCH }
    const step = await this.#read(tip, goal, node, signal)
    // The chain was reorganised again while this was read.
    return step === 'forked' ? 'lagging' : step
  }

  /** Reads the next blocks from one node as a step. */
  async #read(
    { approvalsOf }: IndexTip,
    goal: Omit<RangeGoal, 'wanted'>,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<NodeStep | 'forked'> {
    const { contract } = this.#chain
    const read = await this.#reader.read(
      { ...goal, wanted: { history: this.#readsHistory, approvalsOf } },
      node,
      signal,
    )
    if (read === 'lagging' || read === 'forked') return read
    const step = toStep(read, contract)
    const created = tokensCreatedIn(step.events).filter((token) => !approvalsOf.includes(token))
    if (created.length === 0) return step
    // The first read asked for no approvals of a token that appears in these blocks. So they are read once more, with it. Older
    // approvals, which whoever subscribes has given before, are read by PastApprovals.
    const wanted = { history: this.#readsHistory, approvalsOf: [...approvalsOf, ...created] }
    const again = await this.#reader.read({ ...goal, head: read.last, wanted }, node, signal)
    return again === 'lagging' || again === 'forked' ? again : toStep(again, contract)
  }

  /** Whether a head below the tip may be of a node that lags: not where the index has another block there, nor once it was seen for long. */
  async #mayLag(tip: IndexTip, head: BlockRef): Promise<boolean> {
    const [remembered] = await tip.rememberedBlocks(head.number, 1)
    if (remembered?.number === head.number && remembered.hash !== head.hash) return false
    return !this.#forks.noteLowerHead(head)
  }

  #askAgainSoon(head: BlockRef): SourceAnswer {
    return { kind: 'idle', soon: true, progress: this.#progress(head) }
  }

  #progress(head: BlockRef) {
    const { blocksPerRequest } = this.#reader
    return { headNumber: head.number, alarm: this.#forks.alarm, blocksPerRequest }
  }
}

/** The tokens of the subscriptions that these events create. */
function tokensCreatedIn(events: Step['events']): readonly Address[] {
  const created = events.flatMap(({ event }) =>
    event.type === 'SubLog' && event.eventName === 'Created' ? [getAddress(event.token)] : [],
  )
  return [...new Set(created)]
}

/** @throws SourceError if a log cannot be decoded */
function toStep(read: CheckedRange, contract: Address): Step {
  const { approvalsOf: tokens } = read.wanted
  return {
    ancestor: blockOf(read.base),
    to: blockOf(read.last),
    finalizedBlock: read.finalizedBlock,
    events: toEvents(read.logs),
    approvals: { tokens, rows: toApprovals(read.logs, contract) },
    blocks: read.headers.map(blockOf),
  }
}
