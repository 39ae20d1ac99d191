import * as z from 'zod'
import { NodeAddress, NodeBytes, NodeHash, NodeLog, Quantity, SmallQuantity } from '../rpc/quantity.ts'

/** A transaction as a node holds it. A deposit of an OP Stack chain may have no nonce. */
export const NodeTransaction = z.object({
  from: NodeAddress,
  to: NodeAddress.nullish(),
  nonce: SmallQuantity.nullish(),
  input: NodeBytes,
  value: Quantity,
  gas: Quantity,
  blockNumber: SmallQuantity.nullish(),
})

export type NodeTransaction = z.output<typeof NodeTransaction>

const PlacedReceipt = z.object({
  blockNumber: SmallQuantity,
  blockHash: NodeHash,
  status: Quantity,
  gasUsed: Quantity,
  logs: z.array(NodeLog),
})

/** The receipt of a transaction that is in no block yet. */
const UnplacedReceipt = z
  .union([z.object({ blockNumber: z.null() }), z.object({ blockHash: z.null() })])
  .transform(() => null)

/** `null` where the transaction is in no block. */
export const NodeReceipt = z.union([PlacedReceipt, UnplacedReceipt]).nullable()

export type NodeReceipt = z.output<typeof PlacedReceipt>
