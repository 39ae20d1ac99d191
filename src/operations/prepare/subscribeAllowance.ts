import type { Hex } from 'viem'
import { maxUint256 } from 'viem'
import type { Standing } from '../../core/chainReads.ts'
import { INFINITE_ALLOWANCE, neededAllowance } from '../../protocol/allowance.ts'
import { firstCharge, splitToRaw } from '../../protocol/fees.ts'
import { isCharged } from '../accounts/accountRow.ts'

/** The allowance that subscribing needs, beside the one that there is; raw units of the token. */
export interface SubscribeAllowance {
  readonly current: bigint
  /** One full period: the contract refuses with less, however little it takes. */
  readonly contractRequired: bigint
  readonly needed: bigint
  readonly needsApproval: boolean
  /** What the allowance is to be: what there is already, where that suffices. */
  readonly proposed: bigint
  /** Day of the last charge of this subscription that `needed` covers. */
  readonly coversUntil: number
  readonly sharedWith: readonly Hex[]
  readonly firstCharge: { readonly toFeeBalance: bigint; readonly toProvider: bigint }
}

/**
 * What to approve so that no remit up to the horizon drops the wallet for its allowance. An allowance that
 * suffices is never touched, and none is ever lowered.
 */
export function subscribeAllowance(
  state: Standing,
  timestamp: number,
  options: { approvalPeriods: number; infiniteApproval: boolean },
): SubscribeAllowance {
  const { terms, token, settings, wallet } = state
  const { decimals } = token
  const { callerFee, nextUncheckedDay } = settings
  const charge = splitToRaw(firstCharge({ terms, timestamp, callerFee, nextUncheckedDay }), decimals)
  const others = state.memberships.filter((row) => isCharged(row) && row.token.address === token.address)
  const { contractRequired, needed, coversUntil, sharedWith } = neededAllowance({
    subscription: terms,
    others: others.map((row) => row.terms),
    decimals,
    approvalPeriods: options.approvalPeriods,
    nextUncheckedDay,
    firstChargeRaw: charge.total,
  })
  const current = wallet.allowance
  const needsApproval = current < needed && current < INFINITE_ALLOWANCE
  const proposed = needsApproval ? (options.infiniteApproval ? maxUint256 : needed) : current
  const { toFeeBalance, toProvider } = charge
  return {
    current,
    contractRequired,
    needed,
    needsApproval,
    proposed,
    coversUntil,
    sharedWith,
    firstCharge: { toFeeBalance, toProvider },
  }
}
