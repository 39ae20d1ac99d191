import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import { type ChainNodes, RangeRefusedError } from '@remit/engine/ports/nodes'
import {
  type EventSource,
  type IndexTip,
  type SourceAnswer,
  SourceError,
  type Step,
} from '@remit/engine/ports/source'
import { errorText } from '../Outage.ts'
import { ChainBlocks, compareWithLogs } from './subgraph/verifiedStep.ts'

/** An index that is this many blocks behind is filled from the subgraph. The logs read the rest in a few requests. */
const FAR_BLOCKS = 10_000
/** For so long after a failure, the subgraph is not asked, and the logs go on. */
const REST_MS = 600_000
/** Blocks of a step whose rows are compared with the chain's logs. */
const SAMPLE_BLOCKS = 500

interface Options {
  /** Fills the past. */
  readonly past: EventSource
  /** Fills what is near the head, and everything while the other fails. */
  readonly present: EventSource
  readonly nodes: ChainNodes
  readonly log: Log
  /** The subgraph fills an index that is more blocks behind than these; default 10,000. */
  readonly farBlocks?: number
  readonly now?: () => number
  /** A random number from 0 to 1. Tests replace it. */
  readonly random?: () => number
}

/**
 * Makes a source of two: a subgraph fills the past, in a few questions instead of thousands of ranges, and the chain's
 * logs carry on from there. Of each of the subgraph's steps, a random range is compared with the logs. Where they
 * differ, the step is dropped, the subgraph is not used again, and an alarm says up to which block rows came from it.
 */
export function createComposedSource(options: Options): EventSource {
  return new ComposedSource(options)
}

class ComposedSource implements EventSource {
  readonly #options: Required<Options>
  /** What answers name as the index's source: once the past is filled, its rows come from the nodes' logs. */
  readonly kind = 'rpc'
  /** The subgraph is not asked before this time; infinite once its rows were wrong. */
  #restUntil = Number.NEGATIVE_INFINITY
  #alarm: string | null = null

  constructor(options: Options) {
    this.#options = { farBlocks: FAR_BLOCKS, now: () => performance.now(), random: Math.random, ...options }
  }

  origin(signal: AbortSignal): Promise<BlockRef> {
    return this.#options.present.origin(signal)
  }

  onNews(wake: () => void): () => void {
    return this.#options.present.onNews(wake)
  }

  async next(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer> {
    const next = (await this.#fromPast(tip, signal)) ?? (await this.#options.present.next(tip, signal))
    const { progress } = next
    return { ...next, progress: { ...progress, alarm: this.#alarm ?? progress.alarm } }
  }

  /** The subgraph's next step; `undefined` if the logs are to be asked, because the index is near the head or the subgraph fails. */
  async #fromPast(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer | undefined> {
    if (this.#options.now() < this.#restUntil) return undefined
    const { head } = await this.#options.nodes.head(signal)
    if (head.number - tip.block.number <= this.#options.farBlocks) return undefined
    try {
      const next = await this.#options.past.next(tip, signal)
      // The subgraph is behind as well.
      if (next.kind === 'idle') return undefined
      await this.#compareSample(next.step, signal)
      return next
    } catch (error) {
      signal.throwIfAborted()
      this.#restUntil = this.#options.now() + REST_MS
      const facts = { chainId: this.#options.nodes.chainId, cause: errorText(error) }
      this.#options.log.warn('the subgraph cannot fill the past; the logs go on', facts)
      return undefined
    }
  }

  /** Throws SourceError if the step's rows are not those of the chain's logs in a random range. */
  async #compareSample({ ancestor, to, events }: Step, signal: AbortSignal): Promise<void> {
    const blocks = to.number - ancestor.number
    const from =
      ancestor.number + 1 + Math.floor(this.#options.random() * Math.max(1, blocks - SAMPLE_BLOCKS))
    const last = Math.min(to.number, from + SAMPLE_BLOCKS - 1)
    if (last < from) return
    const { range, logs } = await this.#readLogs({ from, to: last }, signal)
    const within = events.filter(({ blockNumber }) => blockNumber >= range.from && blockNumber <= range.to)
    const numbers = [...new Set([...logs, ...within].map(({ blockNumber }) => blockNumber))]
    const headers = await this.#options.nodes.headers(numbers, signal)
    const chainBlocks = new ChainBlocks(this.#options.nodes.chainId, numbers, headers)
    try {
      await compareWithLogs(this.#options.nodes, events, { ...range, logs }, chainBlocks, signal)
    } catch (error) {
      if (error instanceof SourceError) {
        this.#restUntil = Number.POSITIVE_INFINITY
        this.#alarm = `${error.message} Rows up to block ${ancestor.number} came from it: if they are not trusted, build the index anew without SUBGRAPH_URL_${this.#options.nodes.chainId}.`
      }
      throw error
    }
  }

  /** The logs from a block on, and how far they reach: less far than asked where the node refuses so long a range. */
  async #readLogs({ from, to: last }: { readonly from: number; readonly to: number }, signal: AbortSignal) {
    // A quarter of the range after each refusal, down to one block.
    for (let to = last; ; to = from + Math.floor((to - from) / 4)) {
      try {
        const { logs } = await this.#options.nodes.logs({ from, to, headers: [] }, signal)
        return { range: { from, to }, logs }
      } catch (error) {
        if (!(error instanceof RangeRefusedError) || to === from) throw error
      }
    }
  }
}
