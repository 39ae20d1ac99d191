import { INFINITE_ALLOWANCE, neededAllowance } from '@remit/protocol/allowance'
import { dayNumberAt } from '@remit/protocol/calendar'
import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { ChargedSubscription } from '@remit/protocol/charges/decideCharge'
import { keptAllowance } from '@remit/protocol/coverage'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import { maxUint256 } from 'viem'
import type { MembershipState } from '../../../ports/chainReads.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { toCharged } from '../../../presentation/covers.ts'
import { toSharedWith } from '../../../presentation/sharedWith.ts'

/** The allowance that subscribing needs, and the present one; raw units of the token. */
export interface SubscribeAllowance {
  readonly current: bigint
  /** One full period. The contract refuses less, even where it takes less. */
  readonly contractRequired: bigint
  readonly needed: bigint
  readonly needsApproval: boolean
  /** The allowance after the approval; the present one where it is enough. */
  readonly proposed: bigint
  /** Day of the last charge of this subscription that `needed` covers. */
  readonly coversUntil: number
  /** The other subscriptions that draw on it. */
  readonly shared: ReturnType<typeof toSharedWith>
  readonly firstCharge: {
    readonly toFeeBalance: bigint
    readonly toProvider: bigint
    readonly total: bigint
  }
  /** All subscriptions that remit will charge the wallet for in the token, with the new one, in remit's order. */
  readonly charged: readonly ChargedSubscription[]
}

/**
 * Calculates the approval with which no remit up to the horizon drops the wallet. An allowance that is large enough is
 * not changed, and no allowance is ever lowered.
 */
export function subscribeAllowance(
  state: MembershipState,
  timestamp: number,
  options: { approvalPeriods: number; infiniteApproval: boolean; keepCoverage: boolean },
): SubscribeAllowance {
  const { terms, token, settings, wallet } = state
  const { decimals } = token
  const { callerFee, nextUncheckedDay } = settings
  const split = firstCharge({ terms, timestamp, callerFee, nextUncheckedDay })
  const charge = splitToRaw(split, decimals)
  const sharing = state.memberships.filter(
    (row) => isCharged(row) && row.token.address === token.address && row.terms.id !== terms.id,
  )
  const others = sharing.map(toCharged)
  const own = { ...terms, feeBalance: state.feeBalance + split.toFeeBalance }
  const charged = inRemitOrder([...others, own], state.dueOrder)
  const current = wallet.allowance
  const common = { decimals, nextUncheckedDay, firstChargeRaw: charge.total }
  const {
    contractRequired,
    coversUntil,
    needed: forPeriods,
  } = neededAllowance({
    ...common,
    subscription: terms,
    others,
    approvalPeriods: options.approvalPeriods,
  })
  const needed = options.keepCoverage
    ? keptAllowance({
        ...common,
        subscriptions: charged,
        id: terms.id,
        callerFee,
        today: dayNumberAt(timestamp),
        allowance: current,
        least: forPeriods,
      })
    : forPeriods
  const needsApproval = current < needed && current < INFINITE_ALLOWANCE
  const proposed = needsApproval ? (options.infiniteApproval ? maxUint256 : needed) : current
  return {
    current,
    contractRequired,
    needed,
    needsApproval,
    proposed,
    coversUntil,
    shared: toSharedWith(sharing, state.dueOrder),
    firstCharge: charge,
    charged,
  }
}
