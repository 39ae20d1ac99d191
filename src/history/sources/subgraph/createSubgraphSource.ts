import type { Hex } from 'viem'
import type { BlockRef } from '../../../core/history.ts'
import type { Log } from '../../../core/log.ts'
import type { ChainNode } from '../../../core/node.ts'
import type { ChainObserver } from '../../../core/telemetry.ts'
import {
  type EventSource,
  type IndexTip,
  type Next,
  SourceError,
  type SourceProgress,
  type Step,
} from '../../source.ts'
import { blockOf } from '../blockOf.ts'
import { DeepForkAlarm } from '../DeepForkAlarm.ts'
import { findAncestor } from '../findAncestor.ts'
import { RollbackWatch } from '../RollbackWatch.ts'
import { assertLost } from './assertLost.ts'
import { ChainBlocks } from './ChainBlocks.ts'
import { SubgraphClient } from './SubgraphClient.ts'
import { SubgraphFailedError } from './SubgraphFailedError.ts'
import { type Meta, SubgraphReader } from './SubgraphReader.ts'
import { tieToChain } from './tieToChain.ts'

export interface SubgraphSourceOptions {
  readonly url: string
  /** Sent as a bearer. */
  readonly apiKey: string | undefined
  readonly node: ChainNode
  /** The contract's first block. */
  readonly firstBlock: number
  readonly log: Log
  /** How often the subgraph is asked where it stands, while there is nothing to read. */
  readonly pollMs: number
  /** For one answer of the subgraph's. */
  readonly timeoutMs?: number
  readonly observer?: Pick<ChainObserver, 'upstreamAsked'>
  /** Rows of each list in one answer, 1000 at most. */
  readonly pageSize?: number
}

const TIMEOUT_MS = 15_000

/** A subgraph that is behind by more than both of these stands still or cannot keep up. */
const LATE_BLOCKS = 100
const LATE_SECONDS = 900

/** The chain's end as its nodes know it. */
type ChainHead = Awaited<ReturnType<ChainNode['head']>>

/** Makes the source of a chain's events that reads them from a subgraph. Throws SourceError for a URL of no use. */
export function createSubgraphSource(options: SubgraphSourceOptions): EventSource {
  return new SubgraphSource(options)
}

class SubgraphSource implements EventSource {
  readonly kind = 'subgraph'
  readonly #node: ChainNode
  readonly #reader: SubgraphReader
  readonly #firstBlock: number
  readonly #pollMs: number
  readonly #log: Log
  readonly #rollback: RollbackWatch
  readonly #deepFork: DeepForkAlarm
  #deployment: string | undefined
  /** Where nothing was to be read, and until when that is not asked again (by `performance.now()`). */
  #rest: { readonly at: Hex; readonly until: number; readonly next: Next } | undefined

  constructor(options: SubgraphSourceOptions) {
    const { url, apiKey, node, timeoutMs = TIMEOUT_MS, observer } = options
    const client = new SubgraphClient({
      url,
      apiKey,
      chainId: node.chainId,
      timeoutMs,
      ...(observer && { observer }),
    })
    this.#reader = new SubgraphReader(client, node.chainId, options.pageSize)
    this.#node = node
    this.#firstBlock = options.firstBlock
    this.#pollMs = options.pollMs
    this.#log = options.log
    this.#deepFork = new DeepForkAlarm(node.chainId)
    this.#rollback = new RollbackWatch({ afterMs: node.rollbackAfterMs, now: () => performance.now() })
  }

  async origin(signal: AbortSignal): Promise<BlockRef> {
    // Nothing is logged in block 0.
    const number = Math.max(0, this.#firstBlock - 1)
    const headers = await this.#node.headers([number], signal)
    return blockOf(new ChainBlocks(this.#node.chainId, [number], headers).get(number))
  }

  onNews(wake: () => void): () => void {
    const timer = setInterval(wake, this.#pollMs)
    // Watching alone keeps no process alive.
    timer.unref()
    return () => clearInterval(timer)
  }

  async next(tip: IndexTip, signal: AbortSignal): Promise<Next> {
    const rest = this.#rest
    if (rest?.at === tip.block.hash && performance.now() < rest.until) return rest.next
    const [chain, meta] = await Promise.all([this.#node.head(signal), this.#reader.head(signal)])
    const { head } = chain
    this.#notice(meta)
    this.#deepFork.seen(tip.block, head)

    const ancestor = await this.#ancestorOf(tip, head, signal)
    const alarm = this.#deepFork.sentence ?? this.#alarm(tip, head, meta)
    const progress = { headNumber: head.number, alarm }
    if (ancestor === undefined) return this.#idle(tip.block, progress)
    const isForked = ancestor.hash !== tip.block.hash
    if (!(await this.#isOnChain(meta, ancestor, chain, signal))) {
      // Until the nodes have that block too, nobody can say whether it is on the chain.
      if (!isForked && ancestor.number >= head.number) return this.#idle(tip.block, progress)
      throw new SubgraphFailedError(`The nodes of chain ${this.#node.chainId} are behind its subgraph.`)
    }
    if (meta.block.number <= ancestor.number && !isForked) return this.#idle(tip.block, progress)

    const isDeep = isForked && ancestor.number < tip.finalizedBlock
    if (isDeep) await assertLost(this.#node, tip.block, signal)
    const step = await this.#step(ancestor, chain, meta, signal)
    if (isDeep) this.#deepFork.raise(ancestor, tip)
    const { number } = step.to
    const moved = { headNumber: Math.max(head.number, number), alarm: this.#deepFork.sentence ?? alarm }
    // Where it has given all that it has, nothing more is asked until the next poll.
    if (number === meta.block.number) this.#idle(step.to, moved)
    return { kind: 'step', step, progress: moved }
  }

  /** The newest block of the projection that is on the chain; `undefined` while the nodes are behind it. */
  async #ancestorOf(tip: IndexTip, head: BlockRef, signal: AbortSignal): Promise<BlockRef | undefined> {
    if (tip.block.number <= head.number) this.#rollback.reset()
    else if (!this.#rollback.below(head)) return undefined
    const ancestor = await findAncestor(this.#node, tip, head, undefined, signal)
    if (ancestor === 'lagging') return undefined
    if (ancestor !== undefined) return ancestor
    throw new SourceError(
      `Chain ${this.#node.chainId} has none of the blocks that its index remembers: it is another chain.`,
    )
  }

  /** Whether the nodes have the block at which the subgraph stands; throws where they have another. */
  async #isOnChain(
    { block }: Meta,
    ancestor: BlockRef,
    { finalizedBlock }: ChainHead,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (block.hash === ancestor.hash) return true
    const [header] = await this.#node.headers([block.number], signal)
    if (header === undefined) return false
    if (block.hash === header.hash) return true
    const { chainId } = this.#node
    if (block.number <= finalizedBlock) {
      throw new SourceError(
        `The subgraph of chain ${chainId} has another block ${block.number} than the chain, where that is final: it is of another chain, or of a branch that was lost.`,
      )
    }
    throw new SubgraphFailedError(
      `The subgraph of chain ${chainId} stands at a block ${block.number} that is not on the chain: one of the two has yet to follow a reorganisation.`,
    )
  }

  async #step(ancestor: BlockRef, chain: ChainHead, meta: Meta, signal: AbortSignal): Promise<Step> {
    const { head, finalizedBlock } = chain
    if (meta.block.number <= ancestor.number) {
      // It has yet to read the new branch, but the rows of the lost one need not wait for that.
      const finalized = Math.min(finalizedBlock, head.number)
      return { ancestor, to: ancestor, finalizedBlock: finalized, events: [], blocks: [] }
    }
    const reading = await this.#reader.read(ancestor.number + 1, meta.block.number, signal)
    if (reading.metas.some(({ deployment }) => deployment !== meta.deployment)) {
      throw new SubgraphFailedError(
        `The subgraph of chain ${this.#node.chainId} was deployed anew while it was read.`,
      )
    }
    return tieToChain(this.#node, ancestor, reading, finalizedBlock, signal)
  }

  /** Nothing more is to be read by an index that stands at this block. */
  #idle(at: BlockRef, progress: SourceProgress): Next {
    const next = { kind: 'idle', progress } as const
    // A little less than the timer's period, so that its wake is not answered from memory.
    this.#rest = { at: at.hash, until: performance.now() + 0.9 * this.#pollMs, next }
    return next
  }

  /** What is wrong with where the subgraph stands, if anything is. */
  #alarm(tip: IndexTip, head: BlockRef, { block }: Meta): string | null {
    const { chainId } = this.#node
    if (block.number < tip.finalizedBlock) {
      return `The subgraph of chain ${chainId} stands at block ${block.number}, below final blocks that the index has already: it was deployed anew, or is far behind.`
    }
    const lateSeconds = head.timestamp - (block.timestamp ?? head.timestamp)
    if (head.number - block.number > LATE_BLOCKS && lateSeconds > LATE_SECONDS) {
      return `The subgraph of chain ${chainId} is ${head.number - block.number} blocks behind the chain.`
    }
    return null
  }

  #notice({ deployment }: Meta): void {
    if (this.#deployment !== undefined && this.#deployment !== deployment) {
      this.#log.warn('the subgraph was deployed anew', { chainId: this.#node.chainId })
    }
    this.#deployment = deployment
  }
}
