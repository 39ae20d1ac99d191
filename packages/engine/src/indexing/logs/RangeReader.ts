import type { WantedLogs } from '@remit/protocol/logs/wantedLogs'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import type { BlockRef } from '../../ports/history.ts'
import { type ChainNodes, type NodeLog, RangeRefusedError } from '../../ports/nodes.ts'
import { NodesDisagreeError, SourceError } from '../../ports/source.ts'
import { type CheckedRange, checkRange, headersOf, type LogRange, type RangeAnswer } from './checkRange.ts'
import type { NodeTrust } from './NodeTrust.ts'
import { digestOf, findSuspects, groupByBlock, keptLogs, settleDispute } from './settleDispute.ts'

/** Where a second node refuses a longer range, a shorter one is read. One that refuses even so few blocks is no longer compared with. */
const FEWEST_COMPARED = 64

/** What is to be read: from the block after `base`, the last one that is known, towards the head. */
export interface RangeGoal {
  readonly base: BlockRef
  readonly head: BlockRef
  readonly finalizedBlock: number
  /** The most headers to read. If the head is no more than this many blocks away, all are read up to it. */
  readonly mostHeaders: number
  readonly wanted: WantedLogs
}

/**
 * Reads the logs of the next blocks, as many blocks at a time as the nodes answer (`RangeSize`, at the end), and checks them. A bloom
 * is a filter of 2048 bits in a block's header: it shows for certain that a log is not in the block, or that it may be.
 *
 * Final blocks are read in ranges whose first and last block hashes tie them to the chain. If there are two nodes,
 * both are asked; where they differ, the block's receipts decide. Near the head all headers are read too: each must
 * name the one before as its parent, and each log must be in one of them. If a header's bloom says that there are
 * more logs than came, the block's receipts are read.
 *
 * What a single node can hide: among final blocks any log, if its answers are consistent; near the head, logs of a
 * block that has other logs of the same event, and any log of a block whose bloom is too full. It cannot add logs
 * of another contract, nor, near the head, logs that a block's bloom excludes. The service's audits, which read old blocks once more,
 * find much of the rest.
 */
export class RangeReader {
  readonly #chain: ChainNodes
  readonly #nodes: NodeTrust
  readonly #now: () => number
  #size = new RangeSize()

  constructor(options: { chain: ChainNodes; nodes: NodeTrust; now: () => number }) {
    this.#chain = options.chain
    this.#nodes = options.nodes
    this.#now = options.now
  }

  /** How many blocks the next range of final blocks has. */
  get blocksPerRequest(): number {
    return this.#size.blocks
  }

  /**
   * The next range of blocks with its logs, read from `node`, or from any where it is `undefined`. A range that is refused for its
   * size is read again in a shorter one.
   * @returns in place of a range `lagging` where the node lacks its blocks, `forked` where it has another block in the place of `base`
   * @throws UpstreamError, UpstreamTimeoutError if no node answers
   * @throws SourceError if an answer cannot be right, NodesDisagreeError if it is unknown which one is right
   */
  async read(goal: RangeGoal, node: number | undefined, signal: AbortSignal): Promise<RangeAnswer> {
    for (;;) {
      const range = this.#nextRange(goal, node)
      const blocks = range.to - range.base.number
      try {
        return range.withAllHeaders
          ? await this.#readWithAllHeaders(range, node, signal)
          : await this.#readFinal(range, node, signal)
      } catch (error) {
        if (error instanceof RangeRefusedError) {
          if (blocks === 1) {
            // A node that refuses a single block does not refuse the size. So the next node starts with the usual size again.
            this.#size = new RangeSize()
            throw new UpstreamError(this.#chain.chainId, { cause: error })
          }
          const { suggestedTo } = error
          this.#size.refused(blocks, suggestedTo && suggestedTo - range.base.number)
          continue
        }
        if (error instanceof UpstreamError || error instanceof UpstreamTimeoutError) this.#size.failed(blocks)
        throw error
      }
    }
  }

  /** Which blocks to ask for next: final ones without their headers, or all up to the head with them. */
  #nextRange(
    { base, head, finalizedBlock, mostHeaders, wanted }: RangeGoal,
    node: number | undefined,
  ): LogRange {
    const left = head.number - base.number
    const final = Math.min(finalizedBlock, head.number) - base.number
    const withAllHeaders = final <= 0 || left <= mostHeaders
    const most = this.#chain.mostBlocks(node) ?? Number.POSITIVE_INFINITY
    const blocks = Math.min(most, this.#size.blocks, withAllHeaders ? Math.min(left, mostHeaders) : final)
    return { base, to: base.number + blocks, withAllHeaders, wanted }
  }

  /** One node's answer, checked by itself. */
  async #ask(range: LogRange, node: number | undefined, signal: AbortSignal): Promise<RangeAnswer> {
    const { base, to, wanted } = range
    const begun = this.#now()
    const question = { from: base.number + 1, to, headers: headersOf(range), wanted }
    const answer = await this.#chain.logs(node === undefined ? question : { ...question, node }, signal)
    this.#size.answered(to - base.number, answer.logs.length, this.#now() - begun)
    return checkRange(range, this.#chain.contract, answer)
  }

  /** Final blocks, as two nodes have them; as one has them where no second one works, if `NodeTrust` lets it be read alone. */
  async #readFinal(range: LogRange, node: number | undefined, signal: AbortSignal): Promise<RangeAnswer> {
    const second = this.#nodes.second(node)
    if (node === undefined || second === undefined) {
      this.#nodes.assertMayReadAlone(node)
      return this.#ask(range, node, signal)
    }
    const [one, other] = await Promise.allSettled([
      this.#ask(range, node, signal),
      this.#ask(range, second, signal),
    ])
    if (one.status === 'rejected') throw one.reason
    if (one.value === 'lagging' || one.value === 'forked') return one.value
    if (other.status === 'rejected') this.#useWithoutSecond(second, other.reason, range)
    if (other.status === 'rejected' || other.value === 'lagging') {
      this.#nodes.assertMayReadAlone(node)
      return one.value
    }
    this.#nodes.noteCompared()
    return this.#requireAgreed(one.value, node, other.value, second, signal)
  }

  /** One answer of two that differ at most in logs: the receipts decide which are right. */
  async #requireAgreed(
    one: CheckedRange,
    node: number,
    other: CheckedRange | 'forked',
    second: number,
    signal: AbortSignal,
  ): Promise<CheckedRange> {
    if (other === 'forked' || other.last.hash !== one.last.hash) {
      throw new NodesDisagreeError(
        `RPC ${node + 1} and RPC ${second + 1} of chain ${this.#chain.chainId} follow different chains at block ${one.last.number}, which counts as final.`,
      )
    }
    const [mine, theirs] = [one.last, other.last]
    // The header is not hashed here, so a single node could give a false time or parent with the right hash.
    if (mine.parentHash !== theirs.parentHash || mine.timestamp !== theirs.timestamp) {
      throw new NodesDisagreeError(
        `RPC ${node + 1} and RPC ${second + 1} of chain ${this.#chain.chainId} give different headers of block ${mine.number} with the same hash.`,
      )
    }
    const { logs, faultyNodes } = await settleDispute(
      this.#chain,
      { node, logs: one.logs },
      { node: second, logs: other.logs },
      signal,
      one.wanted,
    )
    for (const faulty of faultyNodes) this.#nodes.distrust(faulty, 'Its logs are not those in the receipts.')
    return { ...one, logs, finalizedBlock: Math.min(one.finalizedBlock, other.finalizedBlock) }
  }

  /**
   * Decides what a failure of the second node means. Returns where the first node's answer may be used without it: it did not answer, gave
   * a wrong answer, or refuses even few blocks. Throws RangeRefusedError where it would answer a smaller range.
   */
  #useWithoutSecond(second: number, reason: unknown, { base, to }: LogRange): void {
    if (reason instanceof RangeRefusedError && to - base.number > FEWEST_COMPARED) throw reason
    if (reason instanceof UpstreamError || reason instanceof UpstreamTimeoutError) return
    if (!(reason instanceof SourceError || reason instanceof RangeRefusedError)) throw reason
    if (reason instanceof SourceError) this.#nodes.distrust(second, reason.message)
    else this.#nodes.exclude(second, 'It refuses ranges that others answer.')
  }

  /** Blocks near the head: the blooms of their headers show in which blocks logs may be missing. */
  async #readWithAllHeaders(
    range: LogRange,
    node: number | undefined,
    signal: AbortSignal,
  ): Promise<RangeAnswer> {
    const read = await this.#ask(range, node, signal)
    if (read === 'lagging' || read === 'forked') return read
    const { contract } = this.#chain
    const { wanted } = range
    const { suspects, someBloomIsFull } = findSuspects(read.headers, read.logs, contract, wanted)
    const digest = (logs: readonly NodeLog[]) => digestOf(keptLogs(logs, contract, wanted))
    const came = groupByBlock(read.logs)
    await Promise.all(
      suspects.map(async (header) => {
        const { logs, fitBloom } = await this.#chain.receiptLogs(header, signal, node, wanted)
        if (fitBloom && digest(logs) === digest(came.get(header.number) ?? [])) return
        throw new SourceError(`The node's logs of block ${header.number} are not those in its receipts.`)
      }),
    )
    const second = this.#nodes.second(node)
    if (!someBloomIsFull || node === undefined || second === undefined) return read
    return this.#compareUnderFullBloom(read, node, second, signal)
  }

  /** A full bloom excludes nothing. So the answer of a second node is compared, if that has the same last block already. */
  async #compareUnderFullBloom(
    read: CheckedRange,
    node: number,
    second: number,
    signal: AbortSignal,
  ): Promise<CheckedRange> {
    const { base, last, wanted } = read
    const range = { base, to: last.number, withAllHeaders: false, wanted }
    const other = await this.#ask(range, second, signal).catch((error: unknown) => {
      const hasNoAnswer = error instanceof UpstreamError || error instanceof UpstreamTimeoutError
      if (hasNoAnswer || error instanceof RangeRefusedError) return undefined
      throw error
    })
    if (other === undefined || other === 'lagging' || other === 'forked') return read
    if (other.last.hash !== read.last.hash) return read
    this.#nodes.noteCompared()
    // Where too many blocks differ for one dispute, this refuses the range, and a shorter one is read.
    return this.#requireAgreed(read, node, other, second, signal)
  }
}

/** Most public nodes answer a range of this many blocks. */
const FIRST_SIZE = 1_000
/** Of a range, only the first and last block's hashes are checked against the chain, so it should not be longer than this. */
const LARGEST_SIZE = 200_000
/** After an answer that took longer, or holds more logs, ranges do not grow. */
const QUICK_MS = 1_500
const FEW_LOGS = 2_000
/** After an answer that took longer, or holds more logs, ranges shrink. */
const SLOW_MS = 5_000
const MANY_LOGS = 10_000
/** After this many answers a size that was refused is tried again. */
const RETRY_AFTER = 50

/** How many blocks to ask for at once: more while answers are quick and small, fewer when a node refuses. */
export class RangeSize {
  #size = FIRST_SIZE
  /** The smallest size that was refused, and how many answers came since. */
  #refused: { readonly size: number; answers: number } | undefined

  get blocks(): number {
    return this.#size
  }

  /** @param logs how many logs came */
  answered(blocks: number, logs: number, durationMs: number): void {
    if (this.#refused !== undefined) {
      this.#refused.answers += 1
      if (this.#refused.answers > RETRY_AFTER) this.#refused = undefined
    }
    if (durationMs > SLOW_MS || logs > MANY_LOGS) this.#set(blocks / 2)
    else if (blocks >= this.#size && durationMs <= QUICK_MS && logs <= FEW_LOGS) this.#set(this.#size * 2)
  }

  /** A node refused this many blocks. @param suggested how many it would answer, where it says so */
  refused(blocks: number, suggested?: number): void {
    if (blocks > 1) this.#refused = { size: blocks, answers: 0 }
    this.#set(suggested ?? blocks / 2)
  }

  /** No answer came. The size may or may not be the reason. */
  failed(blocks: number): void {
    this.#set(Math.min(this.#size, blocks / 2))
  }

  #set(size: number): void {
    const most = this.#refused === undefined ? LARGEST_SIZE : this.#refused.size - 1
    this.#size = Math.max(1, Math.min(Math.floor(size), most))
  }
}
