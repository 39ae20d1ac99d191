import { decodeRevert } from '@remit/protocol/reverts'
import type { Hex } from 'viem'
import type { RevertReason } from '../schema/transaction.ts'

/** How a simulated call failed. */
export interface CallFailure {
  /** What it reverted with; empty if it gave no reason or ran out of gas. */
  readonly data: Hex
  readonly ranOutOfGas: boolean
  /** It did not revert: a token’s `approve` answered something else than true. */
  readonly refusedApproval?: true
}

/** approve(address,uint256) of an ERC-20 token. */
const APPROVE = '0x095ea7b3'

const TRUE = `0x${'1'.padStart(64, '0')}`

/** How a call failed that `refusesApproval` recognises. */
export const REFUSED_APPROVAL: CallFailure = { data: '0x', ranOutOfGas: false, refusedApproval: true }

/** Whether a call that did not revert was refused: ERC-20 lets `approve` answer false. Some tokens answer nothing. */
export function refusesApproval(call: { readonly data: Hex } | undefined, returned: Hex): boolean {
  const isApprove = call?.data.toLowerCase().startsWith(APPROVE) === true
  return isApprove && returned !== '0x' && !returned.startsWith(TRUE)
}

/** Why a call failed, in words. */
export function revertReason({ data, ranOutOfGas, refusedApproval }: CallFailure): RevertReason {
  if (refusedApproval) {
    return {
      name: 'APPROVAL_REFUSED',
      message: 'The token refused the approval: its approve did not return true.',
    }
  }
  if (ranOutOfGas) return { name: 'OUT_OF_GAS', message: 'The call ran out of gas.' }
  const revert = decodeRevert(data)
  const { name, message } = revert
  if (revert.kind === 'protocol') return { protocolCode: revert.protocolCode, name, message }
  return revert.kind === 'unknown' ? { name, message, data } : { name, message }
}
