import { type Hash, isHash, isHex } from 'viem'
import type { MinedCalls, WalletLog } from './decodeEvents.ts'

/** What a wallet says of calls that it took by `wallet_sendCalls`. */
export interface CallsStatus {
  /** `landed`: they are on the chain; `partial`: some of them failed there; `failed`: none of them did anything, and none will. */
  readonly standing: 'pending' | 'landed' | 'partial' | 'failed'
  readonly statusCode: number
  /** The transactions that it names. */
  readonly hashes: readonly Hash[]
  /** Its receipts, as far as they can be read. A wallet need not give any. */
  readonly mined: readonly MinedCalls[]
  /** Whether these receipts tell of every call. */
  readonly isWhole: boolean
}

/**
 * Reads the answer of `wallet_getCallsStatus`, by EIP-5792 or by its first draft. Only the status says what became of
 * the calls. A missing or incomplete receipt says nothing.
 */
export function readCallsStatus(answer: unknown, functions: readonly string[]): CallsStatus {
  const { status, atomic, receipts }: Unread<'status' | 'atomic' | 'receipts'> = Object(answer)
  const statusCode = codeOf(status)
  const given: readonly unknown[] = Array.isArray(receipts) ? receipts : []
  const isLanded = statusCode >= 200 && statusCode < 300
  // One receipt for several calls that all succeeded: mostly they went in one transaction, whatever `atomic` says.
  const asOne = atomic === true || (isLanded && given.length === 1)
  const mined = given.flatMap((receipt, index) =>
    readReceipt(receipt, asOne ? functions : functionAt(functions, index)),
  )
  return {
    standing: standingOf(statusCode, mined),
    statusCode,
    hashes: given.flatMap(hashIn),
    mined,
    isWhole: atomic === true ? mined.length > 0 : mined.length === functions.length,
  }
}

function standingOf(statusCode: number, mined: readonly MinedCalls[]): CallsStatus['standing'] {
  if (statusCode >= 200 && statusCode < 300) return 'landed'
  if (statusCode >= 600 && statusCode < 700) return 'partial'
  // A number without a defined meaning counts as pending.
  if (statusCode < 400 || statusCode >= 700) return 'pending'
  // A wallet that gives the receipt of a success contradicts itself.
  return mined.some(({ status }) => status === 'success') ? 'partial' : 'failed'
}

/** Drafts of EIP-5792 had words: 100 is pending. */
function codeOf(status: unknown): number {
  if (status === 'CONFIRMED') return 200
  return typeof status === 'number' ? status : 100
}

/** A wallet that does not bundle gives one receipt for each call, in order, up to the first that reverted. */
function functionAt(functions: readonly string[], index: number): readonly string[] {
  const own = functions[index]
  return own === undefined ? functions : [own]
}

type Unread<Key extends string> = { readonly [Name in Key]?: unknown }

/** A receipt that has all that is told of a transaction, or nothing. */
function readReceipt(receipt: unknown, functions: readonly string[]): MinedCalls[] {
  const found: Unread<'blockNumber' | 'gasUsed' | 'status' | 'logs'> = Object(receipt)
  const { blockNumber, gasUsed, logs } = found
  const [hash] = hashIn(receipt)
  const status = found.status === '0x1' ? 'success' : found.status === '0x0' ? 'reverted' : undefined
  if (hash === undefined || !isHex(blockNumber) || !isHex(gasUsed) || status === undefined) return []
  const own = Array.isArray(logs) ? logs.filter(isLog) : []
  return [{ hash, functions, status, blockNumber: Number(blockNumber), gasUsed: BigInt(gasUsed), logs: own }]
}

function hashIn(receipt: unknown): Hash[] {
  const { transactionHash }: Unread<'transactionHash'> = Object(receipt)
  return typeof transactionHash === 'string' && isHash(transactionHash) ? [transactionHash] : []
}

function isLog(log: unknown): log is WalletLog {
  const { address, data, topics }: Unread<keyof WalletLog> = Object(log)
  return isHex(address) && isHex(data) && Array.isArray(topics) && topics.every((topic) => isHex(topic))
}
