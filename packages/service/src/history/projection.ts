import type { EventPage, EventQuery, Finality, LogState } from '@remit/engine/ports/events'
import type { BlockRef, HistoryQueries } from '@remit/engine/ports/history'
import type { Verdict } from '@remit/engine/ports/verdicts'
import type { DropReason, Payment } from '@remit/protocol/payments/Payment'
import type { Frequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'
import type { Approvals, IndexTip, PlacedApproval, Step } from './source.ts'

/** The terms that the log of a creation does not carry. They are read from the contract. */
export interface ScheduleTerms {
  readonly frequency: Frequency
  readonly dueDay: number
}

export interface PlacedPayment extends Payment {
  readonly blockNumber: number
  readonly transactionHash: Hex
  /** As the receipt says. */
  readonly blockHash?: Hex
  /** Of somebody whom remit dropped; `null` for everything else. */
  readonly dropReason: DropReason | null
}

export interface TimedApproval extends PlacedApproval {
  /** Unix seconds: its block's. */
  readonly timestamp: number
}

/** What the events of a step do not carry. It is read from the chain's nodes, whatever the step's source is. */
export interface StepFacts {
  /** Of every subscription that the step creates. */
  readonly terms: ReadonlyMap<Hex, ScheduleTerms>
  /** All payments of the step's transactions, in the order of the chain. */
  readonly payments: readonly PlacedPayment[]
  /** Of blocks with events whose hashes neither the events nor the step tell. */
  readonly blockHashes?: ReadonlyMap<number, Hex>
  /** Those of the step, where it has any. */
  readonly approvals?: Approvals<TimedApproval>
}

/** What a chain's rows come from. */
export type IndexSource = 'rpc' | 'subgraph'

/** The right to write a chain's index, until another process takes it. */
export interface Lease {
  readonly chainId: number
  readonly holder: string
  readonly epoch: number
}

/** What identifies a chain: rows of one with another identity must never be mixed in. */
export interface ChainIdentity {
  readonly chainId: number
  readonly genesisHash: Hex
  readonly contract: Hex
  readonly firstBlock: number
}

/** A chain's row: how far its index is, and what is wrong with it. */
export interface IndexState {
  readonly block: BlockRef
  readonly finalizedBlock: number
  readonly alarm: string | null
  readonly source: string
  /** The approvals of later blocks are not all known yet; `null` where all are. */
  readonly approvalsReadTo: number | null
}

/** Another process has taken the lease or moved the tip. Nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/**
 * Writes the indexes in one store. Every change is one transaction, which fails if the lease was taken by another
 * process or the tip has moved.
 */
export interface ProjectionWriter {
  /**
   * Takes the lease of a chain for `leaseMs` of the store's clock; `undefined` while another process holds it. The first
   * lease inserts the chain's row, with `origin` as the tip. The holder may take its own lease again.
   *
   * Throws StoreError if the store holds another chain, contract or first block under this chain id.
   */
  take(
    identity: ChainIdentity,
    source: IndexSource,
    origin: () => Promise<BlockRef>,
    holder: string,
    leaseMs: number,
  ): Promise<Lease | undefined>
  /** Throws LeaseLostError. */
  renew(lease: Lease, leaseMs: number): Promise<void>
  /** Lets the next process take the lease at once. */
  release(lease: Lease): Promise<void>
  tip(chainId: number): Promise<IndexTip>
  /**
   * Writes one step, completely or not at all, and renews the lease with it. Throws LeaseLostError.
   * @param from the tip's block that the step was made from
   */
  apply(lease: Lease, from: BlockRef, step: Step, facts: StepFacts, leaseMs: number): Promise<void>
  /** Deletes all rows of the chain and its alarm, and makes `origin` the tip. Throws LeaseLostError. */
  empty(lease: Lease, origin: BlockRef, source: IndexSource): Promise<void>
  /** Throws LeaseLostError. */
  setAlarm(lease: Lease, alarm: string | null): Promise<void>
}

/** Reads the indexes in one store. */
export interface ProjectionReader {
  /**
   * Throws StoreError if the store holds another chain, contract or first block under this chain id. Absent fields are
   * not compared. A store without the chain's row passes.
   */
  verify(identity: Partial<ChainIdentity> & Pick<ChainIdentity, 'chainId'>): Promise<void>
  /** `undefined` before the first lease. */
  indexState(chainId: number): Promise<IndexState | undefined>
  /** All that `use` reads and the index's state are of one moment. */
  snapshot<Rows>(
    chainId: number,
    use: (queries: HistoryQueries, indexState: IndexState) => Promise<Rows>,
  ): Promise<{ rows: Rows; indexState: IndexState } | undefined>
}

/** Reads the logs of events in one store. */
export interface LogReader {
  /** `undefined` before the first lease. */
  logState(chainId: number): Promise<LogState | undefined>
  /** The sequence of the last event with this finality. `undefined` as above. */
  logEnd(chainId: number, finality: Finality): Promise<number | undefined>
  /** One page, of one moment. `undefined` as above. */
  readLog(chainId: number, query: EventQuery): Promise<EventPage | undefined>
}

/** The verdict on one membership, as it was read at a block. */
export interface ReadVerdict {
  readonly subscriptionId: Hex
  readonly subscriber: Address
  /** `undefined` if it could not be read. What was known before is kept then. */
  readonly verdict: Verdict | undefined
  /** Unix seconds of the chain's clock: when to read it again. */
  readonly sweepAt: number
}

/** What one transfer showed of a token. */
export interface TokenCheck {
  readonly token: Address
  /** Whether its logs stated something else than its balances showed. */
  readonly differs: boolean
}

/** What the sweep asks of the store, and writes to it. */
export interface VerdictStore {
  /** Those whose verdicts are due, longest first, by at most `first` of their memberships. */
  duePayers(
    chainId: number,
    now: number,
    first: number,
  ): Promise<readonly { readonly subscriber: Address; readonly token: Address }[]>
  countDue(chainId: number, now: number): Promise<number>
  /**
   * Writes what was read at one block, completely or not at all. Memberships that have ended meanwhile are left out.
   * Throws LeaseLostError.
   * @param now unix seconds of the chain's clock; default the block's time
   * @returns false if the block is not on the indexed chain any more. Nothing was written then
   */
  writeVerdicts(
    lease: Lease,
    block: BlockRef,
    verdicts: readonly ReadVerdict[],
    now?: number,
  ): Promise<boolean>
  /** Those of the tokens that were not checked since this second of the chain's clock, and were never seen to differ. */
  tokensToCheck(chainId: number, tokens: readonly Address[], since: number): Promise<readonly Address[]>
  /** Writes nothing if the block is not on the indexed chain any more. Throws LeaseLostError. */
  writeTokenChecks(lease: Lease, block: BlockRef, checks: readonly TokenCheck[]): Promise<void>
}

/** Past blocks whose approvals are not known: an older release filled the index, or the token came later. */
export interface ApprovalGap {
  readonly tokens: readonly Address[]
  /** They begin behind this block. */
  readonly readTo: number
}

/** What reads the approvals that no step has read. */
export interface ApprovalStore {
  /** The first gap, or `undefined` where all is known. Throws LeaseLostError. */
  gap(lease: Lease): Promise<ApprovalGap | undefined>
  /**
   * Writes the approvals of a range that begins at a gap, completely or not at all, and makes the verdicts due that were
   * read before them. Throws LeaseLostError.
   * @returns false if the range is not on the indexed chain. Nothing was written then
   */
  close(lease: Lease, gap: ApprovalGap, to: BlockRef, approvals: readonly TimedApproval[]): Promise<boolean>
}

/** What no log tells, as it was read at one block. */
export interface Seen {
  readonly tokens: readonly { readonly address: Address; readonly paused: boolean }[]
  readonly nextUncheckedDay: number
  readonly today: number
}

/** Where state that no log shows becomes events. */
export interface WatchStore {
  /** Logs what is new, unless the block is no longer the index's last one. Throws LeaseLostError. */
  tell(lease: Lease, block: BlockRef, seen: Seen): Promise<void>
}
