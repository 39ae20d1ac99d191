import type { Address, Hex } from 'viem'
import type { BacklogEntry, BacklogState, ChainReads } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'

/** A block, and the signal of whoever asks about it. A view is one. */
export interface AtBlock {
  readonly asOf: { readonly blockNumber: number; readonly blockHash: Hex }
  /** Named as in a request's options, so that it can be handed on as such. */
  readonly signal?: AbortSignal
}

/** The part of a view that proofs and transaction outcomes are made on. */
export interface BlockView extends Pick<ChainView, 'chainId' | 'asOf' | 'now'> {
  readonly signal?: AbortSignal
  /** Reads of what the calls and their logs do not tell by themselves. */
  readonly read: Pick<ChainReads, 'token'> & {
    backlog(caller: Address): Promise<{
      readonly admin: Address
      readonly lists: readonly { entries: readonly Pick<BacklogEntry, 'terms' | 'subscribers'>[] }[]
      readonly wallets: BacklogState['wallets']
    }>
  }
}
