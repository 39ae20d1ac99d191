import type { CallerLog, DetailsLog, ProvDetailsLog, SubLog } from '@remit/protocol/logs/events'
import type { DropReason, Payment } from '@remit/protocol/payments/Payment'
import type { Frequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'
import type { BlockRef } from './history.ts'

// How an index gets its events: a source (`EventSource`: nodes' logs, or a subgraph) answers what comes next with a `Step`, and
// `StepFacts` add what events do not carry (`indexing/events/FactReader.ts`). The index writes both in one transaction.

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
  /** Approvals in the order of the chain. Of several by one owner in one transaction, only the last is there. */
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
  /**
   * The approvals in (ancestor, to]. Absent where the source does not tell them, as a subgraph: then `PastApprovals` reads
   * them from the nodes later.
   */
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
export type SourceAnswer =
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
  next(tip: IndexTip, signal: AbortSignal): Promise<SourceAnswer>
  /** Calls `wake` whenever there may be something new. Returns a function that ends this. */
  onNews(wake: () => void): () => void
}

/** The terms that the log of a creation does not carry. They are read from the contract. */
export interface ScheduleTerms {
  readonly frequency: Frequency
  readonly dueDay: number
}

export interface PlacedPayment extends Payment {
  readonly blockNumber: number
  readonly transactionHash: Hex
  /** The hash of its block, as the receipt says. */
  readonly blockHash?: Hex
  /** Why remit dropped the subscriber; `null` for every other payment. */
  readonly dropReason: DropReason | null
}

export interface TimedApproval extends PlacedApproval {
  /** The time of its block, in unix seconds. */
  readonly timestamp: number
}

/** What the events of a step do not carry. It is read from the chain's nodes, whatever the step's source is. */
export interface StepFacts {
  /** The terms of every subscription that the step creates. */
  readonly terms: ReadonlyMap<Hex, ScheduleTerms>
  /** All payments of the step's transactions, in the order of the chain. */
  readonly payments: readonly PlacedPayment[]
  /** The hashes of blocks with events, where neither the events nor the step tell them. */
  readonly blockHashes?: ReadonlyMap<number, Hex>
  /** The step's approvals with their times, where it has any. */
  readonly approvals?: Approvals<TimedApproval>
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
