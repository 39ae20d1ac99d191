import { type Hex, isHex } from 'viem'
import { UserRejectedError, WalletFailedError } from '../errors.ts'

/** 4001: EIP-1193; 5000: WalletConnect; 5750: the account's upgrade, which the calls needed, was refused. */
const REJECTIONS = new Set([4001, 5000, 5750])

/**
 * Answers that say for certain that a wallet took none of the calls, because it cannot: no such method (-32601,
 * -32004, 4200), or EIP-5792's capability, chain, size and atomicity (5700, 5710, 5740, 5760).
 */
const CANNOT_SEND_CALLS = new Set([-32601, -32004, 4200, 5700, 5710, 5740, 5760])

/** What a wallet's refusal is called here. `what` is what it was asked to do. */
export function walletError(what: string, error: unknown): UserRejectedError | WalletFailedError {
  return isRejection(error) ? new UserRejectedError(error) : new WalletFailedError(what, error)
}

export function isRejection(error: unknown): boolean {
  return causes(error).some((cause) => hasCode(cause, REJECTIONS))
}

/** Whether a wallet has only said that it has no `wallet_sendCalls`, or none for this; nothing was sent then. */
export function cannotSendCalls(error: unknown): boolean {
  if (isRejection(error)) return false
  return causes(error).some(
    (cause) =>
      hasCode(cause, CANNOT_SEND_CALLS) || /does not exist ?\/ ?is not available/i.test(messageOf(cause)),
  )
}

/** Whether a node has answered, and with a refusal: a transaction that it refused is in no mempool of its. */
export function isRefusedByNode(error: unknown): boolean {
  const chain = causes(error)
  // It has it already, say from an attempt whose answer got lost.
  if (chain.some((cause) => /already (known|imported|exists)|known transaction/i.test(messageOf(cause))))
    return false
  return chain.some(
    (cause) =>
      'code' in cause && typeof cause.code === 'number' && cause.code !== -1 && cause.code !== -32603,
  )
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
  return 'code' in error && typeof error.code === 'number' && codes.has(error.code)
}

function messageOf(error: Error): string {
  return 'details' in error && typeof error.details === 'string' ? error.details : error.message
}
