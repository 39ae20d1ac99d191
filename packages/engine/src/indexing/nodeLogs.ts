import { isWanted, logFilters, type WantedLogs } from '@remit/protocol/logs/wantedLogs'
import { type Address, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { BlockHeader } from '../head/blockHeader.ts'
import { type BlockPlace, RangeRefusedError } from '../ports/nodes.ts'
import {
  isBeyondHead,
  isRangeRefusal,
  lacksPast,
  resultsGranted,
  suggestedTo,
} from '../rpc/limits/logsRefusal.ts'
import type { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { NodeAddress, NodeBytes, NodeHash, SmallQuantity } from '../rpc/quantity.ts'
import { refusalIn, UnknownBlockError } from '../rpc/refusal.ts'
import type { OneNode } from '../rpc/rpc.ts'

// What one node is asked about logs, with the schemas of its answers: the wanted logs of a range, all receipts of a block, and
// the logs of single transactions.

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
  // The most that the column of the service's store can hold, and far more logs than a block has.
  logIndex: SmallQuantity.refine((index) => index < 2 ** 31),
  removed: z.literal(false).nullish(),
})

/** A log of a range. One that is marked as removed belongs to no block any more. */
const RangeLog = PlacedLog.extend({ removed: z.boolean().nullish() })

type FoundLog = z.output<typeof RangeLog>

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The wanted logs of a range, as one node has them: by two questions, because one filter cannot name both the contract's
 * events and the approvals to it. They travel together.
 *
 * Throws RangeRefusedError, UnknownBlockError, and what else the node refuses.
 */
export async function readWantedLogs(
  one: OneNode,
  limits: NodeLimits,
  { contract, wanted, ...range }: Range & { readonly contract: Address; readonly wanted: WantedLogs },
): Promise<readonly FoundLog[]> {
  const { own, ofTokens } = logFilters(contract, wanted)
  const [ours, approvals] = await Promise.all([
    own === undefined ? [] : readLogs(one, limits, own, range),
    ofTokens === undefined ? [] : readLogs(one, limits, ofTokens, range),
  ])
  // A node that ignores topics gives all logs of a token.
  return merged(
    ours,
    approvals.filter((log) => isWanted(log, contract, wanted)),
  )
}

/** Both lists in one, in the order of the chain. Not sorted: logs out of order stay so, and `checkRange` refuses them. */
function merged(ours: readonly FoundLog[], approvals: readonly FoundLog[]): readonly FoundLog[] {
  const logs: FoundLog[] = []
  let taken = 0
  for (const log of ours) {
    for (let next = approvals[taken]; next !== undefined && isBefore(next, log); next = approvals[taken]) {
      logs.push(next)
      taken += 1
    }
    logs.push(log)
  }
  return logs.concat(approvals.slice(taken))
}

function isBefore(a: FoundLog, b: FoundLog): boolean {
  return a.blockNumber < b.blockNumber || (a.blockNumber === b.blockNumber && a.logIndex < b.logIndex)
}

/** The logs of one filter. A refusal is read for what it says: of a limit, of blocks that the node lacks, of a range that is too large. */
async function readLogs(
  one: OneNode,
  limits: NodeLimits,
  filter: { readonly address: Address | readonly Address[]; readonly topics: readonly unknown[] },
  { from, to }: Range,
) {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  try {
    return await one.request('eth_getLogs', [{ ...filter, ...range }], z.array(RangeLog))
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal === undefined) throw error
    const said = { code: refusal.error.code, message: refusal.error.message }
    // Another node may have these blocks.
    if (refusal.kind === 'unknownBlock' || isBeyondHead(said)) throw new UnknownBlockError(said)
    // The node keeps no logs of blocks so old. A smaller range would not help.
    if (lacksPast(said)) limits.found('pastLogs', false)
    if (!isRangeRefusal(said)) throw error
    const suggested = suggestedTo(said, from, to)
    const results = resultsGranted(said)
    // A limit of logs says nothing about blocks: how many of them hold so many logs differs.
    if (results !== undefined) limits.refused('logResults', results + 1, results)
    else limits.refused('logRange', to - from + 1, suggested && suggested - from + 1)
    throw new RangeRefusedError(suggested, { cause: error })
  }
}

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

/** All receipts of a block from a node that does not give them together. Throws the `refusal` of that where the block has too many. */
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

/** Whether the logs name their receipt's block. No bloom covers a log's place, so a node could name any block there. */
function isInOneBlock({ blockNumber, blockHash, logs }: z.output<typeof Receipt>): boolean {
  return logs.every((log) => log.blockNumber === blockNumber && log.blockHash === blockHash)
}

function gone(): UnknownBlockError {
  return new UnknownBlockError({ code: -32001, message: 'the node has no receipts of this very block' })
}
