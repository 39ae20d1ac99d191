import type { Hex } from 'viem'
import { gasLimitIn, limitIn } from './limits/limitIn.ts'

/** The node answered with an error. `data` is what a call reverted with, if the node says so. */
export class RpcResponseError extends Error {
  override readonly name: string = 'RpcResponseError'
  readonly code: number
  readonly data: Hex | undefined

  constructor(error: { code: number; message: string; data?: Hex }) {
    super(error.message)
    this.code = error.code
    this.data = error.data
  }
}

/** The node does not know the block asked for: it was reorganised away, or the node lags behind. */
export class UnknownBlockError extends RpcResponseError {
  override readonly name = 'UnknownBlockError'
}

/** The call failed on the chain. */
export interface Reverted {
  readonly kind: 'reverted'
  /** What it reverted with; empty if it gave no reason or ran out of gas. */
  readonly data: Hex
  readonly ranOutOfGas: boolean
  readonly error: RpcResponseError
}

/** The node refuses the question, or its form. */
export interface Refused {
  readonly kind: 'refused'
  /** It says that it does not have the method, rather than that it will not do this one thing. */
  readonly lacksMethod: boolean
  readonly error: RpcResponseError
}

/** The node does not have the block. */
interface UnknownBlock {
  readonly kind: 'unknownBlock'
  readonly error: UnknownBlockError
}

export type Refusal = Reverted | Refused | UnknownBlock

// The reentrancy sentry: SSTORE fails, as if out of gas, with less than 2,300 gas left.
const OUT_OF_GAS = /out ?of ?gas|OOG\b|reentrancy sentry|gas required exceeds|intrinsic gas/i
const REVERTED = /revert|invalid opcode|invalidopcode|invalid jump|stack (over|under)flow/i

/** Nodes answer a reverted eth_call and eth_estimateGas with this code; each chooses its own message. */
const REVERTED_CODE = 3

/** "Method not found" and "method not supported", by JSON-RPC and by EIP-1474. Other nodes say it in words. */
const LACKING_CODES = new Set([-32601, -32004])
const LACKING =
  /(method|eth_simulatev1).{0,80}(not (found|supported|available|exist|implemented|enabled|allowed|whitelisted)|unknown|disabled)|unsupported method|unknown method/i

/** What a node's refusal means; `undefined` for any other error, as when no node answered. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof UnknownBlockError) return { kind: 'unknownBlock', error }
  if (!(error instanceof RpcResponseError)) return undefined
  const { code, data, message } = error
  // hardhat adds an empty reason. With a reason, the words may be the contract's.
  const ranOutOfGas = (data === undefined || data === '0x') && saysOutOfGas(message)
  const isRevert = ranOutOfGas || data !== undefined || code === REVERTED_CODE || REVERTED.test(message)
  if (isRevert) return { kind: 'reverted', data: data ?? '0x', ranOutOfGas, error }
  return { kind: 'refused', lacksMethod: LACKING_CODES.has(code) || LACKING.test(message), error }
}

/** Whether a node's message about a failed call says that it ran out of gas. */
export function saysOutOfGas(message: string | undefined): boolean {
  return message !== undefined && OUT_OF_GAS.test(message)
}

/**
 * How nodes say that they do not have a block or its state: they share no code for it.
 * geth: "header not found", "hash is not currently canonical"; anvil: "Resource not found",
 * "BlockOutOfRangeError"; hardhat: "Received invalid block tag 7. Latest block number is 5", "blockHash cannot be
 * found"; others: "unknown block", "block … could not be found".
 */
const UNKNOWN_BLOCK =
  /block\s?(not\s?found|out\s?of\s?range)|header (for hash )?not found|resource not found|unknown block|not currently canonical|block .{0,80}(not found|not exist|unavailable)|(block|resource|header).{0,80}(could not|cannot) be found|invalid block tag .{1,80}latest block number|missing trie node|beyond (current |the )?head|state .{0,80}(not |un)available/i

/** Makes an error of a node's error object. */
export function toResponseError(error: { code: number; message: string; data?: Hex }): RpcResponseError {
  // A contract chooses the text of its revert, which may say anything.
  const isRevert = error.data !== undefined || /revert/i.test(error.message)
  return !isRevert && UNKNOWN_BLOCK.test(error.message)
    ? new UnknownBlockError(error)
    : new RpcResponseError(error)
}

/** The error for an answer that was read at another block than the one asked for. */
export function answeredElsewhere(): UnknownBlockError {
  return new UnknownBlockError({ code: -32001, message: 'the node answered at another block' })
}

/** The error for an answer of a node that ignores the code that it was lent. */
export function ignoresLentCode(): RpcResponseError {
  return new RpcResponseError({ code: WRONG_PARAMETERS, message: 'the node ignores lent code' })
}

/** “Invalid params”: the node takes no overrides, or no block by its hash. */
const WRONG_PARAMETERS = -32602

/** What a node says of a transaction before it runs it. Every node says the same of it. */
const BEFORE_RUNNING =
  /insufficient (funds|sender balance|balance)|(doesn.t|does not) have enough funds|upfront cost exceeds|nonce too (low|high)|(max|priority|base) ?fee|fee cap|tip (above|higher)|underpriced|max(imum)? (init)?code size|(sender|from).{0,20}(not an eoa|has deployed code)/i
/** eth_simulateV1 says by these codes why a call was not run. */
const isSimulationCode = (code: number) => code <= -38_010 && code >= -38_029

/**
 * Who may still answer what a node refused: nobody, the other nodes, or, once those were asked, this one as well.
 *
 * A revert and a limit are answers, and so is what is said before a transaction is run. A method or a parameter that a
 * node lacks is still missing a moment later. Anything else may have passed by then.
 */
export function recourseOf(refusal: Refusal): 'none' | 'others' | 'again' {
  const { kind, error } = refusal
  if (kind === 'unknownBlock') return 'again'
  if (kind === 'reverted' || isSimulationCode(error.code) || BEFORE_RUNNING.test(error.message)) return 'none'
  if (limitIn(error) !== undefined || gasLimitIn(error) !== undefined) return 'none'
  return refusal.lacksMethod || error.code === WRONG_PARAMETERS ? 'others' : 'again'
}

/** Whether every node would answer the same. */
export function isSameFromEveryNode({
  code,
  message,
}: {
  readonly code: number
  readonly message: string
}): boolean {
  const refusal = refusalIn(toResponseError({ code, message }))
  return refusal !== undefined && recourseOf(refusal) === 'none'
}
