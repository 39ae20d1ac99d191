import type { Hex } from 'viem'
import * as z from 'zod'
import type { BlockPlace } from '../ports/nodes.ts'
import { NodeHash, SmallQuantity } from '../rpc/quantity.ts'
import { refusalIn, UnknownBlockError } from '../rpc/refusal.ts'
import type { OneNode } from '../rpc/rpc.ts'
import { PlacedLog } from './nodeAnswers.ts'

const Receipt = z.object({
  blockNumber: SmallQuantity,
  blockHash: NodeHash,
  transactionHash: NodeHash,
  logs: z.array(PlacedLog),
})
const ReceiptIfMined = ifMined(Receipt)
const Transactions = z.object({ hash: NodeHash, transactions: z.array(NodeHash) }).nullable()

/** The most transactions of a block whose receipts are asked for one by one. */
const MOST_SINGLE_RECEIPTS = 2_000

/**
 * All logs in a block's receipts, as one node has them, and whether it places all of them in that block.
 *
 * Throws UnknownBlockError if it lacks the block, RpcResponseError if it gives no receipts.
 */
export async function readReceipts(one: OneNode, { number, hash }: BlockPlace) {
  const receipts = await blockReceipts(one, hash, Receipt)
  for (const receipt of receipts) {
    if (receipt.blockNumber !== number || receipt.blockHash !== hash) throw gone()
  }
  return { logs: receipts.flatMap(({ logs }) => logs), areInBlock: receipts.every(isInOneBlock) }
}

/** All receipts of a block, in the order of its transactions. Throws as `readReceipts` does. */
export async function blockReceipts<Row>(
  one: OneNode,
  blockHash: Hex,
  row: z.ZodType<Row>,
): Promise<readonly Row[]> {
  try {
    const receipts = await one.request('eth_getBlockReceipts', [blockHash], z.array(row).nullable())
    if (receipts === null) throw gone()
    return receipts
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal === undefined || refusal.kind === 'unknownBlock') throw error
    return receiptsOneByOne(one, blockHash, row, refusal.error)
  }
}

async function receiptsOneByOne<Row>(one: OneNode, blockHash: Hex, row: z.ZodType<Row>, refusal: Error) {
  const block = await one.request('eth_getBlockByHash', [blockHash, false], Transactions)
  if (block === null || block.hash !== blockHash) throw gone()
  if (block.transactions.length > MOST_SINGLE_RECEIPTS) throw refusal
  const receipts = await Promise.all(
    block.transactions.map((hash) => one.request('eth_getTransactionReceipt', [hash], ifMined(row))),
  )
  return receipts.map((receipt) => {
    if (receipt === null) throw gone()
    return receipt
  })
}

/** The logs of these transactions, where they have a receipt. */
export async function readTransactionLogs(
  one: OneNode,
  hashes: readonly Hex[],
): Promise<ReadonlyMap<Hex, readonly z.output<typeof PlacedLog>[]>> {
  const found = new Map<Hex, readonly z.output<typeof PlacedLog>[]>()
  const receipts = await Promise.all(
    hashes.map((hash) => one.request('eth_getTransactionReceipt', [hash], ReceiptIfMined)),
  )
  for (const [index, receipt] of receipts.entries()) {
    const hash = hashes[index]
    if (receipt === null || hash === undefined || receipt.transactionHash !== hash) continue
    if (!isInOneBlock(receipt)) continue
    found.set(hash, receipt.logs)
  }
  return found
}

/** `null` where the transaction is in no block yet. */
function ifMined<Row>(row: z.ZodType<Row>) {
  return z.union([row, z.object({ blockNumber: z.null() }).transform(() => null)]).nullable()
}

/** No bloom covers a log's place, so a node could name any block there. */
function isInOneBlock({ blockNumber, blockHash, logs }: z.output<typeof Receipt>): boolean {
  return logs.every((log) => log.blockNumber === blockNumber && log.blockHash === blockHash)
}

function gone(): UnknownBlockError {
  return new UnknownBlockError({ code: -32001, message: 'the node has no receipts of this very block' })
}
