import type { Hex } from 'viem'
import { decodeRevert } from '../../protocol/reverts.ts'
import type { RevertReason } from '../../schema/transaction.ts'

/** How a call failed on the chain. */
export interface CallFailure {
  /** What it reverted with; empty if it gave no reason or ran out of gas. */
  readonly data: Hex
  readonly ranOutOfGas: boolean
}

/** Why a call failed, in words. */
export function revertReason({ data, ranOutOfGas }: CallFailure): RevertReason {
  if (ranOutOfGas) return { name: 'OUT_OF_GAS', message: 'The call ran out of gas.' }
  const revert = decodeRevert(data)
  const { name, message } = revert
  if (revert.kind === 'protocol') return { protocolCode: revert.protocolCode, name, message }
  return revert.kind === 'unknown' ? { name, message, data } : { name, message }
}
