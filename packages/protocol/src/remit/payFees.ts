import { isAddressEqual } from 'viem'
import { toRaw } from '../amounts.ts'
import { systemShare } from '../fees.ts'
import type { LiveSubscription, RemitState } from './remitBacklog.ts'
import { type RemitEffects, sendFromContract } from './remitEffects.ts'

/**
 * Pays the fees of one subscription: first the system's share, where it is switched on, then the rest to the caller.
 * Transfers of 0 are made too.
 *
 * @param options.fees in protocol units
 */
export function payFees(
  state: RemitState,
  run: RemitEffects,
  { subscription, fees }: { readonly subscription: LiveSubscription; readonly fees: bigint },
): void {
  const { terms, decimals } = subscription
  const { token } = terms
  const { systemFee, accounts } = state.backlog
  const { systemFeeReceiver: receiver, caller } = accounts
  let share = 0n
  if (systemFee !== undefined) {
    if (receiver === undefined) throw new RangeError('The system fee has no receiver')
    share = systemShare(fees, systemFee)
    run.fees.push(sendFromContract(state, run, { token, to: receiver, amountRaw: toRaw(share, decimals) }))
  }
  const amountRaw = toRaw(fees - share, decimals)
  run.fees.push(sendFromContract(state, run, { token, to: caller, amountRaw }))
  const isBoth = systemFee !== undefined && receiver !== undefined && isAddressEqual(receiver, caller)
  run.callerFees.push({ token, amountRaw: isBoth ? amountRaw + toRaw(share, decimals) : amountRaw })
}
