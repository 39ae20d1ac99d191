import {
  type Address,
  type Hash,
  type Hex,
  isAddressEqual,
  type Transaction,
  type TransactionReceipt,
} from 'viem'
import { getBlock, getTransaction, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import type { Reader } from '../wallet/Wallet.ts'
import { causes } from '../wallet/walletErrors.ts'
import { pollUntil, type WaitLimits, type WaitWatch } from './waiting.ts'

/** A transaction that was sent, and what is needed to find the one that took its place. */
export interface Awaited {
  /** Every version that was signed, the first one first. All have the same nonce, so that one is mined at most. */
  readonly hashes: readonly [Hash, ...Hash[]]
  /** Its sender and nonce. `undefined`: they are learnt from a node that has seen it waiting. */
  readonly slot: Slot | undefined
  readonly to: Address
  readonly data: Hex
  /** The last block before it was sent. */
  readonly sentAfter: bigint
  /** Called after each look at which nothing has its nonce yet, say to send it again or to raise its fees. */
  readonly tend?: () => Promise<void>
  /** Ends the waiting after so many looks at which the nonce was used and no block showed by what. By default the time ends it. */
  readonly mostLooksAfterNonce?: number
}

/** What only one transaction can take. */
export interface Slot {
  readonly from: Address
  readonly nonce: number
}

/** What was mined of a transaction: itself, or the one that took its nonce. */
export interface Mined {
  readonly receipt: TransactionReceipt
  /** `repriced` does the same for another price; `undefined` where it is the very one. */
  readonly replaced?: 'repriced' | 'cancelled' | 'replaced'
}

/** The nonce was used, and none of the blocks that were looked at shows by which transaction. */
export class UnknownSuccessorError extends Error {
  override readonly name = 'UnknownSuccessorError'
}

/** A successor is looked for in so many blocks at most, the newest ones. */
const MOST_BLOCKS = 1_000n

/**
 * Waits until a transaction is mined, or one that was put in its place. Throws StillPendingError, and UnknownSuccessorError where
 * `mostLooksAfterNonce` is given.
 *
 * viem has a function for this. It takes no signal, gives up at a node's first fault, and looks for a successor in the newest block only.
 */
export async function awaitReceipt(
  reader: Reader,
  awaited: Awaited,
  limits: WaitLimits,
  watch: WaitWatch,
): Promise<Mined> {
  // `scanned`: up to this block a successor was looked for.
  let { slot, sentAfter: scanned } = awaited
  let looksAfterNonce = 0
  const ask = async (): Promise<Mined | 'unknown' | undefined> => {
    for (const hash of [...awaited.hashes].reverse()) {
      const receipt = await findReceipt(reader, hash)
      if (receipt !== undefined) return { receipt }
    }
    slot ??= await orAbsent(getTransaction(reader, { hash: awaited.hashes[0] }))
    if (slot === undefined) return undefined
    const used = await getTransactionCount(reader, { address: slot.from, blockTag: 'latest' })
    if (used <= slot.nonce) {
      looksAfterNonce = 0
      await awaited.tend?.()
      return undefined
    }

    // Since the first question, the nonce was used in some block: by one of these hashes, or by a successor.
    const head = await getBlock(reader, { blockTag: 'latest' })
    const from = head.number - scanned > MOST_BLOCKS ? head.number - MOST_BLOCKS : scanned
    for (let blockNumber = from + 1n; blockNumber <= head.number; blockNumber += 1n) {
      const successor = await findSuccessor(reader, blockNumber, slot)
      if (successor !== undefined) return toMined(reader, successor, awaited)
      scanned = blockNumber
    }
    looksAfterNonce += 1
    const { mostLooksAfterNonce = Number.POSITIVE_INFINITY } = awaited
    return looksAfterNonce > mostLooksAfterNonce ? 'unknown' : undefined
  }
  const mined = await pollUntil(`The transaction ${awaited.hashes[0]}`, limits, ask, watch)
  if (mined === 'unknown')
    throw new UnknownSuccessorError(`Nothing shows what took the nonce of ${awaited.hashes[0]}`)
  return mined
}

async function findSuccessor(
  reader: Reader,
  blockNumber: bigint,
  { from, nonce }: Slot,
): Promise<Transaction | undefined> {
  const { transactions } = await getBlock(reader, { blockNumber, includeTransactions: true })
  return transactions.find((one) => isAddressEqual(one.from, from) && one.nonce === nonce)
}

/** What the transaction that took the nonce is: one of the versions, or a successor. */
async function toMined(reader: Reader, successor: Transaction, awaited: Awaited): Promise<Mined> {
  const receipt = await getTransactionReceipt(reader, { hash: successor.hash })
  if (awaited.hashes.includes(successor.hash)) return { receipt }
  const { to, input, from, value } = successor
  // A wallet client with a data suffix sends more than the call, which then stays the same call.
  if (to?.toLowerCase() === awaited.to.toLowerCase() && input.startsWith(awaited.data) && value === 0n) {
    return { receipt, replaced: 'repriced' }
  }
  // Wallets cancel a transaction by sending nothing to themselves.
  const isCancelling = to === from && value === 0n
  return { receipt, replaced: isCancelling ? 'cancelled' : 'replaced' }
}

/** The receipt of a transaction; `undefined` where the node has none. */
export function findReceipt(reader: Reader, hash: Hash): Promise<TransactionReceipt | undefined> {
  return orAbsent(getTransactionReceipt(reader, { hash }))
}

/** `undefined` if the node says that there is none; any other failure is thrown. */
async function orAbsent<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    const absent = ['TransactionNotFoundError', 'TransactionReceiptNotFoundError']
    if (causes(error).some(({ name }) => absent.includes(name))) return undefined
    throw error
  }
}
