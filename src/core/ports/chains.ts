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
  /** Unix time that the next block would have. It is fixed for the view. */
  readonly now: number
  /** The day of `now`, unix time / 86400. */
  readonly today: number
  readonly read: ChainReads
  /** Simulates what remit() would do in the next block. */
  readonly remit: RemitTrials
  /** Proves a batch by simulation on top of this block. Throws SimulationFailedError. */
  prove(plan: PreparePlan): Promise<Proof>
  /** What became of a transaction. An RPC failure throws; it is never "unknown". */
  transaction(hash: Hex, sent: { from?: Address; nonce?: number }): Promise<TransactionOutcome>
}

/** The health of a chain, as background probes last saw it. */
export interface ChainHealth {
  readonly chainId: number
  readonly rpc: { ok: boolean; blockNumber: number | null; latencyMs: number | null }
  /** Whether the configured contract has been found to be the protocol's. */
  readonly confirmed: boolean
  /** What the operator must correct, with the name of the variable; `null` where nothing is known to be wrong. */
  readonly misconfigured: string | null
}

/** No node has the state of the block that was asked for: it was reorganised away, or is too old. */
export class BlockGoneError extends Error {
  override readonly name = 'BlockGoneError'
}

/** The chains that this service knows. */
export interface ChainsPort {
  readonly rows: readonly ChainRow[]
  readonly defaultChainId: number
  health(): readonly ChainHealth[]
  /** Throws ChainMisconfiguredError where the chain is known to be misconfigured. Asks no node. */
  throwIfMisconfigured(chainId: number): void
  /**
   * Gives `use` one chain at one block.
   *
   * Where that block is reorganised away meanwhile, or a transaction is in a later block, `use` runs again at another
   * head. So it must have no effects of its own.
   * Throws ChainMisconfiguredError where the contract is not the protocol's, or the nodes are of another chain.
   * @param options.minBlock waits up to 2 s for this block. Throws BlockNotSeenError.
   * @param options.block the view is of this very block. Throws BlockGoneError where no node has its state.
   */
  withView<T>(
    chainId: number,
    options: { minBlock?: number; block?: BlockRef; signal?: AbortSignal },
    use: (view: ChainView) => Promise<T>,
  ): Promise<T>
}
