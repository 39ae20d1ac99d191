import type { Hex } from 'viem'
import * as z from 'zod'
import { NodeHash, SmallQuantity } from '../rpc/quantity.ts'

/** A block's header, as far as anything here depends on it. */
export const BlockHeader = z.object({
  number: SmallQuantity,
  hash: NodeHash,
  parentHash: NodeHash,
  timestamp: SmallQuantity,
})

export type BlockHeader = Readonly<z.output<typeof BlockHeader>>

/** The newest block that is known of a chain. */
export interface Head {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds: the chain's clock. */
  readonly timestamp: number
  /** When this process first saw it, on the clock of `performance.now()`. */
  readonly seenAt: number
}
