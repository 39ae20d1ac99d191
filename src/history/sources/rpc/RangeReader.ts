import type { BlockRef } from '../../../core/history.ts'
import { type ChainNode, RangeRefusedError } from '../../../core/node.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../../errors/chain.ts'
import { SourceError } from '../../source.ts'
import { type CheckedRange, checkRange, headersOf, type Range, type RangeVerdict } from './checkRange.ts'
import { findSuspects } from './findSuspects.ts'
import { digestOf, groupByBlock } from './logGroups.ts'
import type { NodeTrust } from './NodeTrust.ts'
import { RangeSize } from './RangeSize.ts'
import { settleDispute, UndecidedError } from './settleDispute.ts'
import type { WitnessPatience } from './WitnessPatience.ts'

/** With the base's header, the final one and the logs these fill one HTTP request. */
export const MOST_HEADERS = 37
/** A node that refuses even this many blocks cannot be compared with. */
const FEWEST_COMPARED = 64

/** Where to read on. */
export interface Goal {
  readonly base: BlockRef
  readonly head: BlockRef
  readonly finalizedBlock: number
  /** How many blocks may come with all their headers; where the head is not further, all of them do. */
  readonly mostWhole: number
}

/**
 * Reads the blocks above one, as many at a time as the nodes answer, and holds what came against whatever
 * else is known of them.
 *
 * Final blocks come in ranges that are tied to the chain by the hashes of their edges. Where there are two
 * nodes both are asked, and where they differ the block's receipts decide. Near the head all headers come as well: each
 * stands on the one before, each log in one of them, and where a header's bloom says that there are more logs
 * of ours than came, the block's receipts are asked for.
 *
 * What one node alone can hide: among final blocks any log at all, as long as its answers agree with
 * themselves; near the head, logs of a block that has others of the same event, and any log of a block whose
 * bloom is too full to tell. It cannot bring logs into blocks whose blooms exclude them near the head, nor
 * logs of another contract. The audit of the projection finds much of the rest.
 */
export class RangeReader {
  readonly #chain: ChainNode
  readonly #trust: NodeTrust
  readonly #now: () => number
  readonly #patience: WitnessPatience
  #size = new RangeSize()

  constructor(options: { chain: ChainNode; trust: NodeTrust; patience: WitnessPatience; now: () => number }) {
    this.#patience = options.patience
    this.#chain = options.chain
    this.#trust = options.trust
    this.#now = options.now
  }

  /**
   * @throws UpstreamError, UpstreamTimeoutError where nobody answered
   * @throws SourceError where the answers cannot be right, UndecidedError where it is not known whose
   */
  async read(goal: Goal, node: number | undefined, signal: AbortSignal): Promise<RangeVerdict> {
    for (;;) {
      const range = this.#next(goal)
      const blocks = range.to - range.base.number
      try {
        return range.whole
          ? await this.#readWhole(range, node, signal)
          : await this.#readFinal(range, node, signal)
      } catch (error) {
        if (error instanceof RangeRefusedError) {
          if (blocks === 1) {
            // It is not the size that it refuses: that says nothing of what others will answer.
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

  #next({ base, head, finalizedBlock, mostWhole }: Goal): Range {
    const left = head.number - base.number
    const final = Math.min(finalizedBlock, head.number) - base.number
    const whole = final <= 0 || left <= mostWhole
    const blocks = Math.min(this.#size.blocks, whole ? Math.min(left, mostWhole) : final)
    return { base, to: base.number + blocks, whole }
  }

  async #ask(range: Range, node: number | undefined, signal: AbortSignal): Promise<RangeVerdict> {
    const { base, to } = range
    const begun = this.#now()
    const question = { from: base.number + 1, to, headers: headersOf(range) }
    const answer = await this.#chain.logs(node === undefined ? question : { ...question, node }, signal)
    this.#size.answered(to - base.number, answer.logs.length, this.#now() - begun)
    return checkRange(range, this.#chain.contract, answer)
  }

  async #readFinal(range: Range, node: number | undefined, signal: AbortSignal): Promise<RangeVerdict> {
    const second = this.#trust.witness(node)
    if (node === undefined || second === undefined) {
      if (this.#trust.hasWitness(node)) this.#patience.alone()
      return this.#ask(range, node, signal)
    }
    const [one, other] = await Promise.allSettled([
      this.#ask(range, node, signal),
      this.#ask(range, second, signal),
    ])
    if (one.status === 'rejected') throw one.reason
    if (one.value === 'lagging' || one.value === 'forked') return one.value
    if (other.status === 'rejected') this.#excuse(second, other.reason, range)
    if (other.status === 'rejected' || other.value === 'lagging') {
      if (this.#trust.hasWitness(node)) this.#patience.alone()
      return one.value
    }
    this.#patience.met()
    return this.#settle(one.value, node, other.value, second, signal)
  }

  async #settle(
    one: CheckedRange,
    node: number,
    other: CheckedRange | 'forked',
    second: number,
    signal: AbortSignal,
  ): Promise<CheckedRange> {
    if (other === 'forked' || other.last.hash !== one.last.hash) {
      throw new UndecidedError(
        `RPC ${node + 1} and RPC ${second + 1} of chain ${this.#chain.chainId} follow different chains at block ${one.last.number}, which counts as final.`,
      )
    }
    const { logs, liars } = await settleDispute(
      this.#chain,
      { node, logs: one.logs },
      { node: second, logs: other.logs },
      signal,
    )
    for (const liar of liars) this.#trust.convict(liar, 'Its logs are not those in the receipts.')
    return { ...one, logs }
  }

  /** Does without the second node, unless a smaller range lets it answer. */
  #excuse(second: number, reason: unknown, { base, to }: Range): void {
    if (reason instanceof RangeRefusedError && to - base.number > FEWEST_COMPARED) throw reason
    if (reason instanceof UpstreamError || reason instanceof UpstreamTimeoutError) return
    if (!(reason instanceof SourceError || reason instanceof RangeRefusedError)) throw reason
    if (reason instanceof SourceError) this.#trust.distrust(second, reason.message)
    else this.#trust.convict(second, 'It refuses ranges that others answer.')
  }

  async #readWhole(range: Range, node: number | undefined, signal: AbortSignal): Promise<RangeVerdict> {
    const read = await this.#ask(range, node, signal)
    if (read === 'lagging' || read === 'forked') return read
    const { suspects, someAreMute } = findSuspects(read.headers, read.logs, this.#chain.contract)
    const came = groupByBlock(read.logs)
    await Promise.all(
      suspects.map(async (header) => {
        const { logs, fitBloom } = await this.#chain.receiptLogs(header, signal, node)
        if (fitBloom && digestOf(logs) === digestOf(came.get(header.number) ?? [])) return
        throw new SourceError(`The node's logs of block ${header.number} are not those in its receipts.`)
      }),
    )
    const second = this.#trust.witness(node)
    if (!someAreMute || node === undefined || second === undefined) return read
    return this.#compareMute(read, node, second, signal)
  }

  /** Where blooms say nothing, a second node is asked, if it has got the same block already. */
  async #compareMute(
    read: CheckedRange,
    node: number,
    second: number,
    signal: AbortSignal,
  ): Promise<CheckedRange> {
    const range = { base: read.base, to: read.last.number, whole: false }
    try {
      const other = await this.#ask(range, second, signal)
      if (other === 'lagging' || other === 'forked' || other.last.hash !== read.last.hash) return read
      return await this.#settle(read, node, other, second, signal)
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof UpstreamTimeoutError) return read
      if (error instanceof RangeRefusedError) return read
      throw error
    }
  }
}
