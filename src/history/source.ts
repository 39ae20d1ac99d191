import type { Hex } from 'viem'
import type { BlockRef } from '../core/history.ts'
import type { DetailsLog, ProvDetailsLog, SubLog } from '../protocol/events.ts'

/** An event that the projection keeps, with its place in the chain. */
export interface PlacedEvent {
  readonly event: SubLog | DetailsLog | ProvDetailsLog
  readonly blockNumber: number
  readonly logIndex: number
  readonly transactionHash: Hex
}

/**
 * One move of the projection: rows above `ancestor` go, `events` come, and it stands at `to`.
 *
 * Where nothing was reorganised, the ancestor is the block that it stood at.
 */
export interface Step {
  /** The newest block that is kept. Never above where the projection stands. */
  readonly ancestor: BlockRef
  readonly to: BlockRef
  /** Blocks up to this one can no longer be reorganised away. */
  readonly finalizedBlock: number
  /** All events in (ancestor, to], in the order of the chain, each once. */
  readonly events: readonly PlacedEvent[]
  /** Hashes to keep, of blocks in (ancestor, to]: all that are not final, and of others at least `to`. */
  readonly blocks: readonly BlockRef[]
}

/** Where the projection stands, and what it remembers of the way there. */
export interface IndexTip {
  /** The last block that is in the projection. */
  readonly block: BlockRef
  readonly finalizedBlock: number
  /** The remembered blocks up to `below`, newest first, `most` at the most: to find where a fork began. */
  rememberedBlocks(below: number, most: number): Promise<readonly BlockRef[]>
}

/** What a source has to say next. */
export type Next =
  | { readonly kind: 'step'; readonly step: Step; readonly progress: SourceProgress }
  /** The projection is where the source is. */
  | { readonly kind: 'idle'; readonly progress: SourceProgress }

export interface SourceProgress {
  /** The chain's newest block as this source knows it. */
  readonly headNumber: number
  /** Something that reading on does not mend (a reorg below finality, rows that two nodes disagree on). */
  readonly alarm: string | null
}

/** Something that knows a chain's events: its logs over RPC, or a subgraph. */
export interface EventSource {
  readonly kind: 'rpc' | 'subgraph'
  /** The block before the contract's first: where an empty projection stands. */
  origin(signal: AbortSignal): Promise<BlockRef>
  /**
   * The next move from a tip, of bounded size. Never a guess: what cannot be made sure of throws
   * (UpstreamError and its like, which are tried again, or SourceError, which says what is wrong).
   */
  next(tip: IndexTip, signal: AbortSignal): Promise<Next>
  /** Calls back whenever there may be something new; returns how to stop that. */
  onNews(wake: () => void): () => void
}

/** A source that works and says what cannot be right. The sentence is for the operator and names no URL. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
