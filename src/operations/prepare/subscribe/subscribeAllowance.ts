import type { Hex } from 'viem'
import { maxUint256 } from 'viem'
import type { Standing } from '../../../core/ports/chainReads.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { toCharged } from '../../../presentation/covers.ts'
import { INFINITE_ALLOWANCE, neededAllowance } from '../../../protocol/allowance.ts'
import type { ChargedSubscription } from '../../../protocol/coverage/ChargeAmounts.ts'
import { inRemitOrder } from '../../../protocol/coverage/ChargeSchedule.ts'
import { keptAllowance } from '../../../protocol/coverage/keptAllowance.ts'
import { firstCharge, splitToRaw } from '../../../protocol/fees.ts'

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
  readonly firstCharge: {
    readonly toFeeBalance: bigint
    readonly toProvider: bigint
    readonly total: bigint
  }
  /** All that remit charges the wallet for in the token once it has subscribed, in remit's order. */
  readonly charged: readonly ChargedSubscription[]
}

/**
 * What to approve so that no remit up to the horizon drops the wallet for its allowance. An allowance that
 * suffices is never touched, and none is ever lowered.
 */
export function subscribeAllowance(
  state: Standing,
  timestamp: number,
  options: { approvalPeriods: number; infiniteApproval: boolean; keepCoverage: boolean },
): SubscribeAllowance {
  const { terms, token, settings, wallet } = state
  const { decimals } = token
  const { callerFee, nextUncheckedDay } = settings
  const split = firstCharge({ terms, timestamp, callerFee, nextUncheckedDay })
  const charge = splitToRaw(split, decimals)
  const others = state.memberships
    .filter((row) => isCharged(row) && row.token.address === token.address && row.terms.id !== terms.id)
    .map(toCharged)
  const own = { ...terms, feeBalance: state.feeBalance + split.toFeeBalance }
  const charged = inRemitOrder([...others, own], state.dueOrder)
  const current = wallet.allowance
  const common = { decimals, nextUncheckedDay, firstChargeRaw: charge.total }
  const { contractRequired, coversUntil, sharedWith, ...forPeriods } = neededAllowance({
    ...common,
    subscription: terms,
    others,
    approvalPeriods: options.approvalPeriods,
  })
  const kept = options.keepCoverage
    ? keptAllowance({ ...common, subscriptions: charged, id: terms.id, callerFee, allowance: current })
    : 0n
  const needed = kept > forPeriods.needed ? kept : forPeriods.needed
  const needsApproval = current < needed && current < INFINITE_ALLOWANCE
  const proposed = needsApproval ? (options.infiniteApproval ? maxUint256 : needed) : current
  return {
    current,
    contractRequired,
    needed,
    needsApproval,
    proposed,
    coversUntil,
    sharedWith,
    firstCharge: charge,
    charged,
  }
}
