import type { Address, Hex } from 'viem'
import type { AsOf } from '../../schema/answer.ts'
import type { TransactionOutcome } from '../../schema/transaction.ts'
import type { ChainReads } from './chainReads.ts'
import type { BlockRef } from './history.ts'
import type { PreparePlan, Proof } from './proof.ts'
import type { RemitTrials } from './remit.ts'

/** One row of the registry, as callers see it. */
export interface ChainRow {
  readonly chainId: number
  readonly name: string
  /** Whether protocol routes may name it. */
  readonly rest: boolean
  /** Whether tools may name it. */
  readonly mcp: boolean
  readonly default: boolean
}

/** One chain, seen at one block, for the length of one answer. */
export interface ChainView {
  readonly chainId: number
  readonly name: string
  readonly contractAddress: Address
  /** The block of this view. */
  readonly asOf: AsOf
  /** Unix time of the chain's clock, as the next block would have it. It stands still for the length of the view. */
  readonly now: number
  /** The day of `now`, unix time / 86400. */
  readonly today: number
  readonly read: ChainReads
  /** What remit() would do in the next block, asked of the chain itself. */
  readonly remit: RemitTrials
  /** Proves a batch by simulation on top of this block. Throws SimulationFailedError. */
  prove(plan: PreparePlan): Promise<Proof>
  /** What became of a transaction. An RPC failure throws; it is never "unknown". */
  transaction(hash: Hex, sent: { from?: Address; nonce?: number }): Promise<TransactionOutcome>
}

/** What background probes have seen of a chain; reading it never waits for an upstream. */
export interface ChainHealth {
  readonly chainId: number
  readonly rpc: { ok: boolean; blockNumber: number | null; latencyMs: number | null }
  /** Whether the configured contract has been found to be the protocol's. */
  readonly confirmed: boolean
  /** What only the operator can mend, naming the variable; `null` where nothing is known to be wrong. */
  readonly misconfigured: string | null
}

/** No node knows the state of a block that was asked for by name: it is gone, or too old to be kept. */
export class BlockGoneError extends Error {
  override readonly name = 'BlockGoneError'
}

/** The chains that this service knows. */
export interface ChainsPort {
  readonly rows: readonly ChainRow[]
  readonly defaultChainId: number
  health(): readonly ChainHealth[]
  /** Throws ChainMisconfiguredError where that is known of the chain; never asks. */
  throwIfMisconfigured(chainId: number): void
  /**
   * Lets `use` see one chain at one block.
   *
   * Where that block turns out to have been reorganised away meanwhile, or a transaction to be in a later one, `use`
   * runs again on another head, so it must have no effects of its own.
   * Throws ChainMisconfiguredError where the chain's contract is not the protocol's, or its nodes are another's.
   * @param options.minBlock waits up to 2 s for this block. Throws BlockNotSeenError.
   * @param options.block the view is of this very block. Throws BlockGoneError where no node has its state.
   */
  withView<T>(
    chainId: number,
    options: { minBlock?: number; block?: BlockRef; signal?: AbortSignal },
    use: (view: ChainView) => Promise<T>,
  ): Promise<T>
}
