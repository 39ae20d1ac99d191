import * as z from 'zod'
import { BlockHeader } from '../head/blockHeader.ts'
import { NodeAddress, NodeBytes, NodeHash, SmallQuantity } from '../rpc/quantity.ts'

/** A block's header with its bloom. */
export const BloomHeader = BlockHeader.extend({
  logsBloom: NodeBytes.refine((bloom) => bloom.length === 2 + 2 * 256, 'a bloom has 256 bytes'),
})

/** A log with its place in the chain. A log of a pending block has none, and an answer with such a log is not usable. */
export const PlacedLog = z.object({
  address: NodeAddress,
  topics: z.array(NodeHash).max(4),
  data: NodeBytes,
  blockNumber: SmallQuantity,
  blockHash: NodeHash,
  transactionHash: NodeHash,
  // As many as the store's column holds; far more than a block has.
  logIndex: SmallQuantity.refine((index) => index < 2 ** 31),
  removed: z.literal(false).nullish(),
})

/** A log of a range. One that is marked as removed belongs to no block any more. */
export const RangeLog = PlacedLog.extend({ removed: z.boolean().nullish() })
