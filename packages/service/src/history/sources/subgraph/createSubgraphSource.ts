import { createRpcSource } from '@remit/engine/indexing/logs/createRpcSource'
import { Forks, findAncestor } from '@remit/engine/indexing/logs/Forks'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { BlockPlace, ChainNodes, ChainObserver } from '@remit/engine/ports/nodes'
import {
  blockOf,
  type EventSource,
  type IndexTip,
  type SourceAnswer,
  SourceError,
  type SourceProgress,
  type Step,
} from '@remit/engine/ports/source'
import type { Hex } from 'viem'
import { SubgraphClient, SubgraphFailedError, UnusableRowsError } from './SubgraphClient.ts'
import { type Meta, SubgraphReader } from './SubgraphReader.ts'
import { ChainBlocks, verifiedStep } from './verifiedStep.ts'

interface SubgraphSourceOptions {
  readonly url: string
  /** Sent as a bearer. */
  readonly apiKey: string | undefined
  readonly nodes: ChainNodes
  readonly firstBlock: number
  readonly log: Log
  /** How often the subgraph is asked for its newest block while there is nothing to read. */
  readonly pollMs: number
  /** How long one answer of the subgraph may take. */
  readonly timeoutMs?: number
  readonly observer?: Pick<ChainObserver, 'upstreamAsked'>
  /** Rows of each list in one answer, 1000 at most. */
  readonly pageSize?: number
}

/** A full page at an old block is a subgraph’s slowest answer. */
const TIMEOUT_MS = 15_000

/** A subgraph that is behind by more than both has stopped or cannot keep up. */
const LATE_BLOCKS = 100
const LATE_SECONDS = 900

/** The chain's newest and newest final block, by its nodes. */
type ChainHead = Awaited<ReturnType<ChainNodes['head']>>

/**
 * Makes the source that reads a chain's events from a subgraph, for the follower, which asks it what comes after the index's tip
 * (`next`). A step, some blocks with their events, is checked against the chain's nodes before it is given (`verifiedStep`). Where
 * the subgraph's rows cannot be used, the chain's logs are read instead, up to that block. `idle`: there is nothing to write now.
 * Throws SourceError if the URL cannot be used.
 */
export function createSubgraphSource(options: SubgraphSourceOptions): EventSource {
  return new SubgraphSource(options)
}

class SubgraphSource implements EventSource {
  readonly #options: SubgraphSourceOptions
  readonly kind = 'subgraph'
  readonly #reader: SubgraphReader
  readonly #forks: Forks
  /** Reads what the subgraph gives no usable rows of. */
  readonly #logs: EventSource
  /** Up to this block the logs are read, because the subgraph's rows could not be used; below all blocks while they can. */
  #logsUpTo = Number.NEGATIVE_INFINITY
  /**
   * The alarm that rows of the subgraph were wrong; `null` while none were. It stays until the process ends: the other rows may be
   * wrong too, since only samples were compared.
   */
  #wrongRows: string | null = null
  /** The version of the subgraph that answered last. */
  #deployment: string | undefined
  /** The last `idle` answer, which is repeated for that block until a time of `performance.now()`. */
  #lastIdle: { readonly blockHash: Hex; readonly until: number; readonly next: SourceAnswer } | undefined

  constructor(options: SubgraphSourceOptions) {
    this.#options = options
    const { url, apiKey, nodes, timeoutMs = TIMEOUT_MS, observer } = options
    const client = new SubgraphClient({
      url,
      apiKey,
      chainId: nodes.chainId,
      timeoutMs,
      ...(observer && { observer }),
    })
    this.#reader = new SubgraphReader(client, nodes.chainId, options.pageSize)
    this.#forks = new Forks({ nodes, now: () => performance.now() })
    this.#logs = createRpcSource({ nodes, firstBlock: options.firstBlock, log: options.log })
  }

  async origin(signal: AbortSignal): Promise<BlockRef> {
    // Block 0 has no logs.
    const number = Math.max(0, this.#options.firstBlock - 1)
    const headers = await this.#options.nodes.headers([number], signal)
    return blockOf(new ChainBlocks(this.#options.nodes.chainId, [number], headers).get(number))
  }

  onNews(wake: () => void): () => void {
    const timer = setInterval(wake, this.#options.pollMs)
    // The poll alone must not keep the process alive.
    timer.unref()
    return () => clearInterval(timer)
  }

  async next(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer> {
    const last = this.#lastIdle
    if (last?.blockHash === tip.block.hash && performance.now() < last.until) return last.next
    if (tip.block.number < this.#logsUpTo) return this.#nextOfLogs(tip, signal)
    const [chain, meta] = await Promise.all([this.#options.nodes.head(signal), this.#reader.head(signal)])
    const { head } = chain
    this.#logDeployment(meta)
    this.#forks.observe(tip.block, head)

    const ancestor = await this.#ancestorOf(tip, head, signal)
    const alarm = this.#forks.alarm ?? this.#wrongRows ?? this.#alarmOfLag(tip, head, meta)
    const progress = { headNumber: head.number, alarm }
    if (ancestor === undefined) return this.#rememberIdle(tip.block, progress)
    // From here on: what the subgraph has after the ancestor, and whether that may be written.
    const isForked = ancestor.hash !== tip.block.hash
    const readBlock = await this.#blockToRead(meta, ancestor, chain, signal)
    if (readBlock.number <= ancestor.number && !isForked) return this.#rememberIdle(tip.block, progress)

    // Blocks that were final count as replaced only if the nodes show it (`assertLost` throws otherwise). It raises an alarm.
    // `undefined`: of no node it is known already that it has lost them.
    const isDeep = isForked && ancestor.number < tip.finalizedBlock
    if (isDeep) await this.#forks.assertLost(tip, { ancestor, head }, undefined, signal)
    let step: Step
    try {
      step = await this.#step(ancestor, chain, meta, readBlock, signal)
    } catch (error) {
      if (!(error instanceof UnusableRowsError)) throw error
      this.#tellWrongRows(error, readBlock)
      return this.#nextOfLogs(tip, signal)
    }
    if (isDeep) this.#forks.raise(ancestor, tip)
    const { number } = step.to
    const moved = { headNumber: Math.max(head.number, number), alarm: this.#forks.alarm ?? alarm }
    // The step ends at the newest block that can be read. Asked for what comes after it, this answers `idle` until the next poll.
    if (number === readBlock.number) this.#rememberIdle(step.to, moved)
    return { kind: 'step', step, progress: moved }
  }

  /** What the chain's logs have after the tip, with the alarm about the subgraph. */
  async #nextOfLogs(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer> {
    const next = await this.#logs.next(tip, signal)
    return { ...next, progress: { ...next.progress, alarm: next.progress.alarm ?? this.#wrongRows } }
  }

  /** The newest indexed block that is on the chain, by whichever node answers; `undefined` while the nodes are behind the index. */
  async #ancestorOf(tip: IndexTip, head: BlockRef, signal: AbortSignal): Promise<BlockRef | undefined> {
    if (tip.block.number > head.number && !this.#forks.noteLowerHead(head)) return undefined
    const ancestor = await findAncestor(this.#options.nodes, tip, head, undefined, signal)
    if (ancestor === 'lagging') return undefined
    if (ancestor !== undefined) return ancestor
    throw new SourceError(
      `Chain ${this.#options.nodes.chainId} has none of the blocks that its index remembers: it is another chain.`,
    )
  }

  /**
   * The block at which the subgraph is read: its own newest, or the nodes' where the subgraph is ahead of them. Throws
   * SubgraphFailedError if the nodes have another block at the height of its newest, and SourceError if that is final.
   */
  async #blockToRead(
    { block }: Meta,
    ancestor: BlockRef,
    { head, finalizedBlock }: ChainHead,
    signal: AbortSignal,
  ): Promise<BlockPlace> {
    if (block.hash === ancestor.hash) return block
    const [header] = await this.#options.nodes.headers([block.number], signal)
    if (block.hash === header?.hash) return block
    const { chainId } = this.#options.nodes
    if (header === undefined) {
      if (block.number > head.number) return head
      throw new SubgraphFailedError(
        `The nodes of chain ${chainId} lack block ${block.number} of its subgraph.`,
      )
    }
    if (block.number <= finalizedBlock) {
      throw new SourceError(
        `The subgraph of chain ${chainId} has another block ${block.number} than the chain, where that is final: it is of another chain, or of a branch that was lost.`,
      )
    }
    throw new SubgraphFailedError(
      `The subgraph of chain ${chainId} stands at a block ${block.number} that is not on the chain: one of the two has yet to follow a reorganisation.`,
    )
  }

  /** The step from the ancestor on, up to `readBlock` at most. If that is not above the ancestor, a step that only rolls back. */
  async #step(
    ancestor: BlockRef,
    chain: ChainHead,
    meta: Meta,
    readBlock: BlockPlace,
    signal: AbortSignal,
  ): Promise<Step> {
    if (readBlock.number <= ancestor.number) {
      // The subgraph has not read the new branch yet. The rows of the lost one are deleted without it.
      const { head, finalizedBlock } = chain
      const finalized = Math.min(finalizedBlock, head.number)
      return { ancestor, to: ancestor, finalizedBlock: finalized, events: [], blocks: [] }
    }
    const rows = await this.#reader.read(ancestor.number + 1, readBlock, signal)
    if (rows.metas.some(({ deployment }) => deployment !== meta.deployment)) {
      throw new SubgraphFailedError(
        `The subgraph of chain ${this.#options.nodes.chainId} was deployed anew while it was read.`,
      )
    }
    return verifiedStep(this.#options.nodes, { ancestor, readBlock }, rows, chain, signal)
  }

  /** Has the logs read up to the block whose rows are wrong, or to `readBlock` if it is not known, and raises an alarm. */
  #tellWrongRows({ message, blockNumber }: UnusableRowsError, readBlock: BlockPlace): void {
    const { chainId } = this.#options.nodes
    this.#logsUpTo = blockNumber ?? readBlock.number
    this.#options.log.warn("the subgraph's rows cannot be used; the chain's logs are read instead", {
      chainId,
      toBlock: this.#logsUpTo,
      cause: message,
    })
    this.#wrongRows ??= `${message} What differs is read from the chain's logs. Of older rows only samples were compared: if they are not trusted, build the index anew with INDEX_${chainId}=rpc.`
  }

  /** Makes the answer that there is nothing to write, which is repeated for this block until the next poll. */
  #rememberIdle(block: BlockRef, progress: SourceProgress): SourceAnswer {
    const next = { kind: 'idle', progress } as const
    // A little less than the poll interval, so that each poll asks the subgraph.
    this.#lastIdle = { blockHash: block.hash, until: performance.now() + 0.9 * this.#options.pollMs, next }
    return next
  }

  /** The alarm that the subgraph is far behind; `null` if it is not. */
  #alarmOfLag(tip: IndexTip, head: BlockRef, { block }: Meta): string | null {
    const { chainId } = this.#options.nodes
    if (block.number < tip.finalizedBlock) {
      return `The subgraph of chain ${chainId} stands at block ${block.number}, below final blocks that the index has already: it was deployed anew, or is far behind.`
    }
    const lateSeconds = head.timestamp - (block.timestamp ?? head.timestamp)
    if (head.number - block.number > LATE_BLOCKS && lateSeconds > LATE_SECONDS) {
      return `The subgraph of chain ${chainId} is ${head.number - block.number} blocks behind the chain.`
    }
    return null
  }

  #logDeployment({ deployment }: Meta): void {
    if (this.#deployment !== undefined && this.#deployment !== deployment) {
      this.#options.log.warn('the subgraph was deployed anew', { chainId: this.#options.nodes.chainId })
    }
    this.#deployment = deployment
  }
}
