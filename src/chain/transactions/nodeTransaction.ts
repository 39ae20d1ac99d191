import * as z from 'zod'
import { NodeAddress, NodeBytes, NodeHash, NodeLog, Quantity, SmallQuantity } from '../rpc/quantity.ts'

/** A transaction as a node holds it. */
export const NodeTransaction = z.object({
  from: NodeAddress,
  to: NodeAddress.nullish(),
  nonce: SmallQuantity,
  input: NodeBytes,
  value: Quantity,
  gas: Quantity,
  blockNumber: SmallQuantity.nullish(),
})

export type NodeTransaction = z.output<typeof NodeTransaction>

export const NodeReceipt = z.object({
  blockNumber: SmallQuantity,
  blockHash: NodeHash,
  status: Quantity,
  gasUsed: Quantity,
  logs: z.array(NodeLog),
})

export type NodeReceipt = z.output<typeof NodeReceipt>
