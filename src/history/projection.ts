import type { Hex } from 'viem'
import type { BlockRef, HistoryQueries } from '../core/ports/history.ts'
import type { Frequency } from '../protocol/subscription.ts'
import type { IndexTip, Step } from './source.ts'

/** The terms that the log of a creation does not carry. They are read from the contract. */
export interface ScheduleTerms {
  readonly frequency: Frequency
  readonly dueDay: number
}

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
    source: string,
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
   * @param terms of every subscription that the step creates
   */
  apply(
    lease: Lease,
    from: BlockRef,
    step: Step,
    terms: ReadonlyMap<Hex, ScheduleTerms>,
    leaseMs: number,
  ): Promise<void>
  /** Deletes all rows of the chain and its alarm, and makes `origin` the tip. Throws LeaseLostError. */
  empty(lease: Lease, origin: BlockRef): Promise<void>
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
