/** What the errors of wallets and nodes mean: refused by the user, not possible here, refused by the node, reverted, or not answered. */

import { type Hex, isHex, RpcError, RpcRequestError } from 'viem'
import { UserRejectedError, WalletFailedError } from '../errors.ts'

/** 4001: EIP-1193; 5000: WalletConnect; 5750: the account's upgrade, which the calls needed, was refused. */
const REJECTIONS = new Set([4001, 5000, 5750])

/**
 * Answers that say for certain that a wallet took none of the calls, because it cannot: no such method (-32601,
 * -32004, 4200), or EIP-5792's capability, chain, size and atomicity (5700, 5710, 5740, 5760).
 */
const CANNOT_SEND_CALLS = new Set([-32601, -32004, 4200, 5700, 5710, 5740, 5760])

/** What a wallet answers that knows another version of `wallet_sendCalls`. */
const INVALID_PARAMS = -32602

/**
 * The error for a wallet that failed or refused.
 * @param what it was asked to do
 */
export function walletError(what: string, error: unknown): UserRejectedError | WalletFailedError {
  return isRejection(error) ? new UserRejectedError(error) : new WalletFailedError(what, error)
}

/** Whether the user has refused. */
export function isRejection(error: unknown): boolean {
  return causes(error).some((cause) => hasCode(cause, REJECTIONS))
}

/** Whether the error only means that the wallet has no `wallet_sendCalls`, or cannot use it here. Nothing was sent then. */
export function cannotSendCalls(error: unknown): boolean {
  if (isRejection(error)) return false
  const all = causes(error)
  // Only the wallet's own error counts: a node or bundler behind the wallet uses the same code for its own input.
  if (all.find(isCoded)?.code === INVALID_PARAMS) return true
  return all.some(
    (cause) =>
      hasCode(cause, CANNOT_SEND_CALLS) || /does not exist ?\/ ?is not available/i.test(messageOf(cause)),
  )
}

/** A node has the transaction already; a mined one has its nonce. Nodes have no codes for these, only words. */
const KNOWN = /already\s?(known|imported|exists)|known transaction|already in (the )?(mem)?pool/i
const NONCE_TAKEN =
  /nonce (is )?too low|nonce.{0,20}(already been used|lower than)|invalid nonce|old\s?nonce/i

/** A gateway answers this when the node behind it did not answer: that node may have taken the transaction. */
const UNHEARD =
  /deadline exceeded|time(d )?[- ]?out|\bEOF\b|connection (was )?(refused|reset|closed)|bad gateway|(service|temporarily) unavailable/i

const MAY_BE_SENT = [KNOWN, UNHEARD]

/** Whether a node has answered that it has the transaction already, say from a try whose answer was lost. */
export function isKnownToNode(error: unknown): boolean {
  return answersOf(error).some((answer) => KNOWN.test(messageOf(answer)))
}

/** Whether a node has answered that a mined transaction has the same nonce. */
export function isNonceTaken(error: unknown): boolean {
  return answersOf(error).some((answer) => NONCE_TAKEN.test(messageOf(answer)))
}

/** Whether a node has refused a transaction, so that it is neither in its pool nor passed on. */
export function isRefusedByNode(error: unknown): boolean {
  const answers = answersOf(error)
  return (
    answers.length > 0 &&
    !answers.some((answer) => MAY_BE_SENT.some((words) => words.test(messageOf(answer))))
  )
}

/**
 * Codes that say nothing of a transaction: no code of the node's (-1), a node that failed itself, and a limit. After each
 * of them viem asks again by itself, and tells of the last try only.
 */
const NO_ANSWER = new Set([-1, -32603, -32005])

/** A node's answers in an error; none where the way to it failed, whose errors have numbers too: an abort has 20. */
function answersOf(error: unknown): Error[] {
  const chain = causes(error)
  const isAnswer = chain.some(
    (cause) => (cause instanceof RpcError || cause instanceof RpcRequestError) && !NO_ANSWER.has(cause.code),
  )
  return isAnswer ? chain : []
}

/** Whether a node has run a call, which reverted; `false` where it could not be asked. */
export function isRevert(error: unknown): boolean {
  return (
    causes(error).some(({ name }) => name === 'ExecutionRevertedError') || revertData(error) !== undefined
  )
}

/** What a call reverted with, where a node's error has it. */
export function revertData(error: unknown): Hex | undefined {
  for (const cause of causes(error)) {
    if (!('data' in cause)) continue
    const { data } = cause
    if (isHex(data)) return data
    if (typeof data === 'object' && data !== null && 'data' in data && isHex(data.data)) return data.data
  }
  return undefined
}

/** An error and all that caused it, the outermost first. */
export function causes(error: unknown): Error[] {
  const found: Error[] = []
  for (let cause = error; cause instanceof Error && !found.includes(cause); cause = cause.cause) {
    found.push(cause)
  }
  return found
}

function hasCode(error: Error, codes: ReadonlySet<number>): boolean {
  return isCoded(error) && codes.has(error.code)
}

function isCoded(error: Error): error is Error & { readonly code: number } {
  return 'code' in error && typeof error.code === 'number'
}

function messageOf(error: Error): string {
  return 'details' in error && typeof error.details === 'string' ? error.details : error.message
}
