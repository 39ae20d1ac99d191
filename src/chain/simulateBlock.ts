import { type Address, type Hex, numberToHex } from 'viem'
import type { BacklogEntry, ChainReads } from '../core/chainReads.ts'
import type { ChainView } from '../core/chains.ts'

/** The part of a view that proofs and transaction outcomes are made on. */
export interface BlockView extends Pick<ChainView, 'chainId' | 'asOf'> {
  /** Reads of what the calls and their logs do not tell by themselves. */
  readonly read: Pick<ChainReads, 'token'> & {
    backlog(
      caller: Address,
    ): Promise<{ lists: readonly { entries: readonly Pick<BacklogEntry, 'terms' | 'subscribers'>[] }[] }>
  }
  /** Seconds since this process first saw the view's block; 0 where that is not told. */
  readonly headAgeSeconds?: number
  /** Named as in a request's options, so that a view can be handed on as such. */
  readonly signal?: AbortSignal
}

/** How a block is named to a node: by number or by hash. */
export type BlockPin = Hex | { readonly blockHash: Hex }

/** A view with the name of its block that nodes take. */
export interface PinnedView extends BlockView {
  readonly pin: BlockPin
}

const SECONDS_PER_DAY = 86_400

/**
 * The block in which a batch is proven: the next one, at the time that the chain's clock would give it.
 *
 * That is the head's time and what has passed since the head was seen, at least a second, because blocks
 * have rising times. The time stays in the view's UTC day as long as it can: proration and due days change
 * at midnight, and the answer around the proof speaks of that day and is valid until its end.
 */
export function nextBlock({ asOf, headAgeSeconds = 0 }: Pick<BlockView, 'asOf' | 'headAgeSeconds'>): {
  readonly number: Hex
  readonly time: Hex
} {
  const lastSecondOfDay = (Math.floor(asOf.timestamp / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY - 1
  const now = Math.min(asOf.timestamp + Math.floor(headAgeSeconds), lastSecondOfDay)
  return {
    number: numberToHex(asOf.blockNumber + 1),
    time: numberToHex(Math.max(now, asOf.timestamp + 1)),
  }
}
