import type { Hex } from 'viem'
import { decodeRevert } from '../../protocol/reverts.ts'
import type { RevertReason } from '../../schema/transaction.ts'
import { RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'

/** A call that the chain itself refused, whatever the node makes of it. */
export interface CallFailure {
  /** What it reverted with; empty where it gave no reason or ran out of gas. */
  readonly data: Hex
  readonly ranOutOfGas: boolean
}

// The sentry is a rule of its own for SSTORE: below 2,300 gas left it fails, as if there were none.
const OUT_OF_GAS = /out ?of ?gas|OOG\b|reentrancy sentry|gas required exceeds|intrinsic gas/i
const REVERTED = /revert|invalid opcode|invalidopcode|invalid jump|stack (over|under)flow/i

/** Nodes answer a reverted eth_call and eth_estimateGas with this code; the message is left to them. */
const REVERTED_CODE = 3

/** How a call failed on chain, out of what a node threw; `undefined` where the node itself refused or failed. */
export function callFailure(error: unknown): CallFailure | undefined {
  if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) return undefined
  const ranOutOfGas = error.data === undefined && OUT_OF_GAS.test(error.message)
  const failed =
    ranOutOfGas || error.data !== undefined || error.code === REVERTED_CODE || REVERTED.test(error.message)
  return failed ? { data: error.data ?? '0x', ranOutOfGas } : undefined
}

/** Whether a message beside a failed call in a simulation says that it ran out of gas. */
export function saysOutOfGas(message: string | undefined): boolean {
  return message !== undefined && OUT_OF_GAS.test(message)
}

/** Why a call failed, in words. */
export function revertReason({ data, ranOutOfGas }: CallFailure): RevertReason {
  if (ranOutOfGas) return { name: 'OUT_OF_GAS', message: 'The call ran out of gas.' }
  const revert = decodeRevert(data)
  const { name, message } = revert
  if (revert.kind === 'protocol') return { protocolCode: revert.protocolCode, name, message }
  return revert.kind === 'unknown' ? { name, message, data } : { name, message }
}
