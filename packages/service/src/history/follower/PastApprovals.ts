import { UpstreamError } from '@remit/engine/errors/chain'
import type { FactReader } from '@remit/engine/indexing/events/FactReader'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import { blockOf } from '@remit/engine/ports/source'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import { Outage } from '../Outage.ts'
import {
  type ApprovalGap,
  type ApprovalStore,
  type Lease,
  LeaseLostError,
  type ProjectionWriter,
} from '../projection.ts'

/** How often it looks for a gap, if no step says so. */
const IDLE_MS = 15_000
/** After a failure, or where the index has to be further first. */
const RETRY_MS = 2_000

interface PastApprovalsOptions {
  readonly source: Pick<EventSource, 'next'>
  readonly nodes: Pick<ChainNodes, 'headers' | 'chainId'>
  readonly facts: Pick<FactReader, 'times'>
  readonly projection: Pick<ProjectionWriter, 'tip'>
  readonly store: ApprovalStore
  readonly onWritten: () => void
  readonly log: Log
}

/**
 * Reads the ERC-20 approvals that no step has read: those of blocks that an older release has indexed, of a token before the first
 * subscription in it, and of steps from a subgraph. It runs beside the steps, in the process that fills the index.
 * A range is one transaction. A process that is killed between two of them loses nothing.
 */
export class PastApprovals {
  readonly #options: PastApprovalsOptions
  readonly #outage: Outage
  readonly #news = new Notifier()
  /** The last block of the range that was read last. */
  #readTo: BlockRef | undefined

  /** @param options.source reads approvals alone, and nothing beyond the index @param options.onWritten verdicts may be due */
  constructor(options: PastApprovalsOptions) {
    this.#options = options
    const { chainId } = options.nodes
    this.#outage = new Outage({ what: 'reading the approvals of the past', chainId, log: options.log })
  }

  /** A step was written: it may have left a gap. */
  stepWritten(): void {
    this.#news.notify()
  }

  /** Reads until the signal aborts or the lease is lost. Never rejects. */
  async run(lease: Lease, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const begun = performance.now()
        const outcome = await this.readRange(lease, signal)
        this.#outage.worked()
        // As long as the range took: half of the time, the nodes are left to callers.
        if (outcome === 'read') await pause(performance.now() - begun, signal)
        else await this.#news.wait(outcome === 'later' ? RETRY_MS : IDLE_MS, signal)
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLostError) return
        this.#outage.failed(error)
        await pause(RETRY_MS, signal)
      }
    }
  }

  /**
   * Reads one range of the first gap. `later` where the nodes do not have its blocks yet, `none` where there is no gap.
   *
   * Throws LeaseLostError and the errors of the nodes and the store.
   */
  async readRange(lease: Lease, signal: AbortSignal): Promise<'read' | 'later' | 'none'> {
    const gap = await this.#options.store.findGap(lease)
    if (gap === undefined) return 'none'
    const block = await this.#blockBefore(gap, signal)
    const tip = await this.#options.projection.tip(lease.chainId)
    const next = await this.#options.source.next({ ...tip, block, approvalsOf: gap.tokens }, signal)
    // A node lags behind the index, or the block is being replaced: then a step will say so.
    if (next.kind === 'idle' || next.step.ancestor.hash !== block.hash) return 'later'
    const { step } = next
    const approvals = await this.#options.facts.times(step, step.approvals?.rows ?? [], signal)
    signal.throwIfAborted()
    if (!(await this.#options.store.closeGap(lease, gap, step.to, approvals))) return 'later'
    this.#readTo = step.to
    if (approvals.length > 0) this.#options.onWritten()
    return 'read'
  }

  /** The block before the gap, as the nodes have it. */
  async #blockBefore({ readTo: number }: ApprovalGap, signal: AbortSignal): Promise<BlockRef> {
    const known = this.#readTo
    this.#readTo = undefined
    if (known?.number === number) return known
    const [header] = await this.#options.nodes.headers([Math.max(0, number)], signal)
    if (header === undefined) throw new UpstreamError(this.#options.nodes.chainId)
    return blockOf(header)
  }
}
