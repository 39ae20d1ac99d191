import { type Address, type Hex, numberToHex } from 'viem'
import type { BacklogEntry, BacklogState, ChainReads } from '../../core/ports/chainReads.ts'
import type { ChainView } from '../../core/ports/chains.ts'

/** The part of a view that proofs and transaction outcomes are made on. */
export interface BlockView extends Pick<ChainView, 'chainId' | 'asOf' | 'now'> {
  /** Reads of what the calls and their logs do not tell by themselves. */
  readonly read: Pick<ChainReads, 'token'> & {
    backlog(caller: Address): Promise<{
      readonly admin: Address
      readonly lists: readonly { entries: readonly Pick<BacklogEntry, 'terms' | 'subscribers'>[] }[]
      readonly wallets: BacklogState['wallets']
    }>
  }
  /** Named as in a request's options, so that a view can be handed on as such. */
  readonly signal?: AbortSignal
}

/** How a block is named to a node: by number or by hash. */
export type BlockPin = Hex | { readonly blockHash: Hex }

/** A view with the name of its block that nodes take. */
export interface PinnedView extends BlockView {
  readonly pin: BlockPin
}

/** The block in which a batch is proven: the next one, at the time of the chain's clock. */
export function nextBlock({ asOf, now }: Pick<BlockView, 'asOf' | 'now'>): {
  readonly number: Hex
  readonly time: Hex
} {
  return { number: numberToHex(asOf.blockNumber + 1), time: numberToHex(now) }
}
