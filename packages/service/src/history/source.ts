import type { BlockRef } from '@remit/engine/ports/history'
import type { CallerLog, DetailsLog, ProvDetailsLog, SubLog } from '@remit/protocol/logs/events'
import type { Address, Hex } from 'viem'

/** An event that the index keeps, with its place in the chain. */
export interface PlacedEvent {
  readonly event: SubLog | DetailsLog | ProvDetailsLog | CallerLog
  readonly blockNumber: number
  readonly logIndex: number
  readonly transactionHash: Hex
  /** Absent where the source does not tell it, as a subgraph. */
  readonly blockHash?: Hex
}

/** An Approval log of a token with the contract as spender. No log states its time. */
export interface PlacedApproval {
  readonly owner: Address
  readonly token: Address
  /** The allowance that stands then, in the token's smallest unit. */
  readonly amountRaw: bigint
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
  readonly transactionHash: Hex
}

/** The approvals of a range of blocks, of these tokens. */
export interface Approvals<Approval> {
  readonly tokens: readonly Address[]
  /** In the order of the chain. Of several by one owner in one transaction, the last. */
  readonly rows: readonly Approval[]
}

/**
 * One change of the index, in one transaction: rows above `ancestor` are deleted, `events` are added, and `to` becomes
 * the tip.
 *
 * Unless something was reorganised, the ancestor is the tip before the step.
 */
export interface Step {
  /** The newest block that is kept. Never above the tip. */
  readonly ancestor: BlockRef
  readonly to: BlockRef
  /** Blocks up to this one can no longer be reorganised away. */
  readonly finalizedBlock: number
  /** All events in (ancestor, to], in the order of the chain, each once. */
  readonly events: readonly PlacedEvent[]
  /** Those in (ancestor, to]. Absent where the source does not tell them, as a subgraph: then they are read behind it. */
  readonly approvals?: Approvals<PlacedApproval>
  /** Blocks in (ancestor, to] whose hashes are stored: at least `to` and all that are not final. */
  readonly blocks: readonly BlockRef[]
}

/** The end of an index: its last block, and the stored hashes of blocks before it. */
export interface IndexTip {
  readonly block: BlockRef
  readonly finalizedBlock: number
  /** The tokens whose approvals each step reads. */
  readonly approvalsOf: readonly Address[]
  /** Stored blocks up to number `below`, newest first, at most `most` of them. They show where a fork began. */
  rememberedBlocks(below: number, most: number): Promise<readonly BlockRef[]>
}

/** What a source answers. */
export type Next =
  | { readonly kind: 'step'; readonly step: Step; readonly progress: SourceProgress }
  /** There is nothing to write. `soon`: a node lags, so it is worth asking again before the next head. */
  | { readonly kind: 'idle'; readonly progress: SourceProgress; readonly soon?: boolean }

export interface SourceProgress {
  /** The number of the chain's newest block, as this source knows it. */
  readonly headNumber: number
  /** Something wrong that further indexing does not repair, such as a reorganisation below finality. */
  readonly alarm: string | null
  /** How many blocks one request asks for at present; absent where that says nothing about the time that is left. */
  readonly blocksPerRequest?: number
}

/** Where a chain's events are read from: its nodes' logs, or a subgraph. */
export interface EventSource {
  readonly kind: 'rpc' | 'subgraph'
  /** The block before the contract's first one: the tip of an empty index. */
  origin(signal: AbortSignal): Promise<BlockRef>
  /**
   * The next step from a tip, of bounded size. It holds only what was checked. If something cannot be checked, this
   * throws: UpstreamError and similar errors, which are worth another try, or SourceError, which says what is wrong.
   */
  next(tip: IndexTip, signal: AbortSignal): Promise<Next>
  /** Calls `wake` whenever there may be something new. Returns a function that ends this. */
  onNews(wake: () => void): () => void
}

/** A source answers, but its answer cannot be right. The message is for the operator and names no URL. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Two nodes contradict each other and nothing shows which is right. Neither answer is used. */
export class NodesDisagreeError extends SourceError {}

/** A header without the fields that the index does not keep. */
export function blockOf({ number, hash, parentHash, timestamp }: BlockRef): BlockRef {
  return { number, hash, parentHash, timestamp }
}
