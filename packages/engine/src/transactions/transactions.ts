import { decodeLogs, type EncodedLog } from '@remit/protocol/logs/events'
import { LRUCache } from 'lru-cache'
import { type Address, type Hex, isAddressEqual, numberToHex } from 'viem'
import * as z from 'zod'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { Facts } from '../block/facts.ts'
import type { ChainEntry } from '../chain/registry.ts'
import { newestFinal, readNamedFinal } from '../head/finality.ts'
import { ReceiptAheadError } from '../ports/chains.ts'
import { eventRows, resolveTokens, tokensNamed } from '../proof/eventRows.ts'
import { NodeHash, SmallQuantity } from '../rpc/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { TransactionOutcome } from '../schema/transaction.ts'
import { NodeReceipt, NodeTransaction, replayReason } from './transactionReplay.ts'

// What became of a transaction, as of a view's block (`findOutcome`):
// 1. Nodes are asked for it, its receipt, the final block and, where the caller names them, how far the sender's nonce is.
// 2. A receipt counts if its block is on the chain (`canonicalReceipt`). If that is after the view's, ReceiptAheadError is thrown.
// 3. Without a receipt that counts, the transaction is pending, replaced (its nonce was used by another one) or unknown.

const BlockOfTransactions = z.object({ hash: NodeHash, transactions: z.array(NodeHash) }).nullable()

/** What the caller knows about the transaction that it sent. */
export interface SentTransaction {
  readonly from?: Address
  readonly nonce?: number
}

/** Tells what became of transactions, as of a view's block. */
export interface Transactions {
  /**
   * If its block was reorganised away and nodes still hold it, it is "pending". Takes two HTTP requests at most, and
   * none for a mined transaction that was asked for on the same head. An RPC failure throws; it is never "unknown".
   *
   * Throws ReceiptAheadError if a node has it in a block and the view's block does not show that.
   */
  transaction(view: BlockView, hash: Hex, sent: SentTransaction): Promise<TransactionOutcome>
}

interface TransactionsOptions {
  readonly rpc: Rpc
  readonly blocks: BlockReader
  readonly entry: Pick<ChainEntry, 'contractAddress' | 'finalityDepth'>
  readonly facts: Facts
}

/** How many outcomes and events are kept together. */
const MOST_KEPT = 20_000

export function createTransactions({ rpc, blocks, entry, facts }: TransactionsOptions): Transactions {
  const options = { rpc, blocks, entry, facts }
  // Only mined ones, because the pool changes while the head stays the same.
  const mined = new LRUCache<string, TransactionOutcome>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ events }) => events.length + 1,
  })
  return {
    transaction: async (view, hash, sent) => {
      const key = `${view.asOf.blockHash}:${hash}:${sent.from}`
      const kept = mined.get(key)
      if (kept !== undefined) return kept
      const outcome = await findOutcome(options, view, hash, sent)
      if (outcome.confirmed) mined.set(key, outcome)
      return outcome
    },
  }
}

/** How often a transaction that was not found is asked for at a URL where several nodes answer. */
const REPLICA_TRIES = 4

async function findOutcome(
  { rpc, blocks, entry, facts }: TransactionsOptions,
  view: BlockView,
  hash: Hex,
  sent: SentTransaction,
): Promise<TransactionOutcome> {
  const [transaction, namedReceipt, namedFinal, minedCount] = await Promise.all([
    ofAnyReplica(blocks, () =>
      rpc.request('eth_getTransactionByHash', [hash], NodeTransaction.nullable(), view),
    ),
    ofAnyReplica(blocks, () => rpc.request('eth_getTransactionReceipt', [hash], NodeReceipt, view)),
    readNamedFinal(rpc, view),
    sent.from === undefined || sent.nonce === undefined
      ? undefined
      : blocks.request(view, 'eth_getTransactionCount', [sent.from], SmallQuantity).then(getResult),
  ])
  const minedIn = namedReceipt?.blockNumber ?? transaction?.blockNumber ?? undefined
  if (minedIn !== undefined && (namedReceipt === null || minedIn > view.asOf.blockNumber)) {
    throw new ReceiptAheadError(minedIn)
  }
  const outside = () => notMined(hash, statusOutsideBlocks(transaction, sent, minedCount))
  if (namedReceipt === null) return outside()
  // The tokens that a receipt's logs name, and why it reverted: read while the block of the receipt is checked.
  const tell = ({ status, logs, ...placed }: NodeReceipt) =>
    Promise.all([
      resolveTokens(view, facts, tokensNamed(logs, entry.contractAddress)),
      status === 1n || transaction === null ? null : replayReason(blocks, view, transaction, placed),
    ])
  const [receipt, told] = await Promise.all([
    canonicalReceipt(rpc, view, hash, namedReceipt),
    tell(namedReceipt),
  ])
  // Its block is no longer on the chain, whatever the node still says.
  if (receipt === null) return outside()
  const [tokens, reason] = receipt === namedReceipt ? told : await tell(receipt)
  const { blockNumber, gasUsed, logs } = receipt
  const succeeded = receipt.status === 1n
  const confirmations = view.asOf.blockNumber - blockNumber + 1
  return {
    transactionHash: hash,
    status: succeeded ? 'success' : 'reverted',
    confirmed: true,
    confirmations,
    finalized: blockNumber <= newestFinal(view.asOf.blockNumber, namedFinal, entry.finalityDepth),
    blockNumber,
    gasUsed,
    events: eventRows(logs, entry.contractAddress, tokens),
    createdSubscriptionId: createdId(logs, entry.contractAddress, sent.from, transaction?.from),
    reason,
    reasonSource: reason === null ? null : 'replay',
  }
}

/** Asks again where several nodes answer at one URL: one that lags does not know yet what another one may know. */
async function ofAnyReplica<T>(blocks: BlockReader, ask: () => Promise<T | null>): Promise<T | null> {
  for (let tries = blocks.preferred.can('replicas') === true ? REPLICA_TRIES : 1; ; tries -= 1) {
    const found = await ask()
    if (found !== null || tries <= 1) return found
  }
}

/**
 * The receipt, if its block is on the chain; `null` if that block was replaced by one without the transaction.
 *
 * A node may still answer with the block that was there before, or with one that was announced while it was being made
 * (Flashblocks). If the block that took its place holds the transaction, or another node has a receipt of it, it is mined.
 */
async function canonicalReceipt(
  rpc: Rpc,
  view: BlockView,
  hash: Hex,
  named: NodeReceipt,
): Promise<NodeReceipt | null> {
  const block = await blockWith(rpc, view, named)
  if (block.hash === named.blockHash) return named
  for (const node of rpc.working()) {
    const other = await rpc
      .withNode((one) => one.request('eth_getTransactionReceipt', [hash], NodeReceipt), { node })
      .catch(() => null)
    if (other === null || other.blockHash === named.blockHash) continue
    if (other.blockNumber > view.asOf.blockNumber) throw new ReceiptAheadError(other.blockNumber)
    if ((await blockWith(rpc, view, other)).hash === other.blockHash) return other
  }
  // It is in the block that replaced the receipt's, and the node has no receipt from there yet: it will soon.
  if (block.transactions.includes(hash)) throw new ReceiptAheadError(named.blockNumber)
  return null
}

/** The block that the chain has now at a receipt's height. */
async function blockWith(rpc: Rpc, view: BlockView, { blockNumber, blockHash }: NodeReceipt) {
  if (blockHash === view.asOf.blockHash) return { hash: blockHash, transactions: [] }
  const params = [numberToHex(blockNumber), false]
  const block = await rpc.request('eth_getBlockByNumber', params, BlockOfTransactions, view)
  // The block is not after the view's, so this node lags behind the one that has the receipt.
  if (block === null) throw new ReceiptAheadError(blockNumber)
  return block
}

/**
 * "replaced" if the caller's account has used the nonce and this transaction is in no block. The caller's facts count
 * only if they fit the transaction that the node holds.
 */
function statusOutsideBlocks(
  transaction: NodeTransaction | null,
  { from, nonce }: SentTransaction,
  minedCount: number | undefined,
): 'pending' | 'replaced' | 'unknown' {
  const isOther =
    transaction !== null &&
    ((transaction.nonce ?? undefined) !== nonce ||
      from === undefined ||
      !isAddressEqual(transaction.from, from))
  const nonceUsed = minedCount !== undefined && nonce !== undefined && minedCount > nonce
  if (nonceUsed && !isOther) return 'replaced'
  return transaction === null ? 'unknown' : 'pending'
}

function notMined(hash: Hex, status: 'pending' | 'replaced' | 'unknown'): TransactionOutcome {
  return {
    transactionHash: hash,
    status,
    confirmed: false,
    confirmations: 0,
    finalized: false,
    blockNumber: null,
    gasUsed: null,
    events: [],
    createdSubscriptionId: null,
    reason: null,
    reasonSource: null,
  }
}

/**
 * The id of the subscription that the transaction has created for the caller; `null` where there is none, or several come into question.
 * A bundler's transaction may hold creations of several smart accounts: which one is meant is known by the account, or where there
 * is only one.
 */
function createdId(
  logs: readonly EncodedLog[],
  contractAddress: Address,
  account: Address | undefined,
  sender: Address | undefined,
): Hex | null {
  const all = decodeLogs(logs, contractAddress).flatMap((event) =>
    event.type === 'SubLog' && event.eventName === 'Created' ? [event] : [],
  )
  const own = all.filter(({ provider }) => account !== undefined && isAddressEqual(provider, account))
  // An account that did not send the transaction is one of several in it, and the others' creations are not its own.
  const isCarried = account !== undefined && sender !== undefined && !isAddressEqual(account, sender)
  const [created, another] = own.length > 0 || isCarried ? own : all
  return created === undefined || another !== undefined ? null : created.id
}
