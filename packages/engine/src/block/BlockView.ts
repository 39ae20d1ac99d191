import type { Address, Hex } from 'viem'
import type { BacklogEntry, BacklogState, ChainReads } from '../ports/chainReads.ts'
import type { ChainView } from '../ports/chains.ts'

/** A block, and the caller's signal. A `BlockView` is one. */
export interface AtBlock {
  readonly asOf: { readonly blockNumber: number; readonly blockHash: Hex }
  /** Named as in the options of `Rpc.request`, so that the whole can be passed as such. */
  readonly signal?: AbortSignal
}

/** The part of a view that proofs and transaction outcomes are made on. */
export interface BlockView extends Pick<ChainView, 'chainId' | 'asOf' | 'now'> {
  readonly signal?: AbortSignal
  /** Reads what calls and their logs leave out. */
  readonly read: Pick<ChainReads, 'token'> & {
    backlog(caller: Address): Promise<{
      readonly admin: Address
      readonly lists: readonly { entries: readonly Pick<BacklogEntry, 'terms' | 'subscribers'>[] }[]
      readonly wallets: BacklogState['wallets']
    }>
  }
}
