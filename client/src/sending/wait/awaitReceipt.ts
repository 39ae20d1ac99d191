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
import { pollUntil, type Remind, type WaitLimits } from './waiting.ts'

/** A transaction that was sent, and where its successor could be found. */
export interface Awaited {
  readonly hash: Hash
  /** Where it is known whose and which nonce it has: else it is learnt from a node that has seen it waiting. */
  readonly slot: Slot | undefined
  readonly to: Address
  readonly data: Hex
  /** The last block before it was sent. */
  readonly sentAfter: bigint
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

/** Blocks in which a successor is looked for at most: a wallet that was away for longer is not followed. */
const MOST_BLOCKS = 1_000n

/**
 * Waits until a transaction is mined, or one that the wallet has put in its place. Throws StillPendingError.
 *
 * viem has a function for this, which takes no signal, gives up at a node's first fault, and looks for a successor
 * in the newest block only.
 */
export async function awaitReceipt(
  reader: Reader,
  awaited: Awaited,
  limits: WaitLimits,
  remind: Remind,
): Promise<Mined> {
  const { hash } = awaited
  let slot = awaited.slot
  let scanned = awaited.sentAfter
  const ask = async (): Promise<Mined | undefined> => {
    const receipt = await orAbsent(getTransactionReceipt(reader, { hash }))
    if (receipt !== undefined) return { receipt }
    slot ??= await orAbsent(getTransaction(reader, { hash }))
    if (slot === undefined) return undefined
    const used = await getTransactionCount(reader, { address: slot.from, blockTag: 'latest' })
    if (used <= slot.nonce) return undefined

    // Its nonce is used: by itself since the first question, or by another one that must be in a block since.
    const head = await getBlock(reader, { blockTag: 'latest' })
    const from = head.number - scanned > MOST_BLOCKS ? head.number - MOST_BLOCKS : scanned
    for (let blockNumber = from + 1n; blockNumber <= head.number; blockNumber += 1n) {
      const successor = await findSuccessor(reader, blockNumber, slot)
      if (successor !== undefined) return toMined(reader, successor, awaited)
      scanned = blockNumber
    }
    return undefined
  }
  return pollUntil(`The transaction ${hash}`, limits, ask, remind)
}

async function findSuccessor(
  reader: Reader,
  blockNumber: bigint,
  { from, nonce }: Slot,
): Promise<Transaction | undefined> {
  const { transactions } = await getBlock(reader, { blockNumber, includeTransactions: true })
  return transactions.find((one) => isAddressEqual(one.from, from) && one.nonce === nonce)
}

async function toMined(reader: Reader, successor: Transaction, awaited: Awaited): Promise<Mined> {
  const receipt = await getTransactionReceipt(reader, { hash: successor.hash })
  if (successor.hash === awaited.hash) return { receipt }
  const { to, input, from, value } = successor
  // A wallet client with a data suffix sends more than the call, which then stays the same call.
  if (to?.toLowerCase() === awaited.to.toLowerCase() && input.startsWith(awaited.data) && value === 0n) {
    return { receipt, replaced: 'repriced' }
  }
  const idle = to === from && value === 0n
  return { receipt, replaced: idle ? 'cancelled' : 'replaced' }
}

/** `undefined` where the node says that there is none; every other failure stays one. */
async function orAbsent<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    const absent = ['TransactionNotFoundError', 'TransactionReceiptNotFoundError']
    if (causes(error).some(({ name }) => absent.includes(name))) return undefined
    throw error
  }
}
