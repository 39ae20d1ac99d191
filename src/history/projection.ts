import type { Hex } from 'viem'
import type { BlockRef, HistoryQueries } from '../core/history.ts'
import type { Frequency } from '../protocol/subscription.ts'
import type { IndexTip, Step } from './source.ts'

/** What the log of a creation does not carry; read on chain. */
export interface ScheduleTerms {
  readonly frequency: Frequency
  readonly dueDay: number
}

/** The right to write a chain's projection, until somebody else has taken it. */
export interface Lease {
  readonly chainId: number
  readonly holder: string
  readonly epoch: number
}

/** What a chain is, as far as rows depend on it. */
export interface ChainIdentity {
  readonly chainId: number
  readonly genesisHash: Hex
  readonly contract: Hex
  readonly firstBlock: number
}

/** The chain's indexState row, as everybody may read it. */
export interface IndexState {
  readonly block: BlockRef
  readonly finalizedBlock: number
  readonly alarm: string | null
  readonly source: string
}

/** Somebody else has taken the lease, or moved the indexState: nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** Writes the projection of one store. Every change is one transaction that compares and sets the indexState. */
export interface ProjectionWriter {
  /**
   * Takes the lease of a chain, for `leaseMs` of the store's clock; `undefined` while somebody else holds it.
   * The first taking makes the chain's row at `origin`. A holder may take again what it holds.
   *
   * Throws StoreError where the store holds another chain, contract or first block under this chain id.
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
  /** Lets the next one take over at once. */
  release(lease: Lease): Promise<void>
  tip(chainId: number): Promise<IndexTip>
  /**
   * Makes one step, whole or not at all, and renews the lease with it. Throws LeaseLostError.
   * @param from the block of the tip that the step was made from
   * @param terms of every subscription that the step creates
   */
  apply(
    lease: Lease,
    from: BlockRef,
    step: Step,
    terms: ReadonlyMap<Hex, ScheduleTerms>,
    leaseMs: number,
  ): Promise<void>
  /** Takes all rows away, so that the chain is read anew from `origin`, and the alarm. Throws LeaseLostError. */
  empty(lease: Lease, origin: BlockRef): Promise<void>
  /** Throws LeaseLostError. */
  setAlarm(lease: Lease, alarm: string | null): Promise<void>
}

/** Reads the projection of one store. */
export interface ProjectionReader {
  /**
   * Throws StoreError where the store holds another chain, contract or first block under this chain id. What
   * is not known is not compared, and a store that holds nothing of the chain yet is anybody's.
   */
  verify(identity: Partial<ChainIdentity> & Pick<ChainIdentity, 'chainId'>): Promise<void>
  /** `undefined` before the first taking of the lease. */
  indexState(chainId: number): Promise<IndexState | undefined>
  /** All of `use` and the indexState are of one moment. */
  snapshot<Rows>(
    chainId: number,
    use: (queries: HistoryQueries, indexState: IndexState) => Promise<Rows>,
  ): Promise<{ rows: Rows; indexState: IndexState } | undefined>
}
