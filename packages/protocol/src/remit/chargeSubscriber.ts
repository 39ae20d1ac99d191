import { toRaw } from '../amounts.ts'
import { decideCharge } from '../charges/decideCharge.ts'
import { subscriptionFee } from '../fees.ts'
import { type LiveSubscription, type RemitState, removeAt } from './remitBacklog.ts'
import { type RemitEffects, sendFromContract, takeFromSubscriber } from './remitEffects.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/**
 * Charges one subscriber for one due day. Both allowance and balance must hold a full period, or remit drops the
 * subscriber. Where the fee balance is larger than the caller's fee, the whole period goes to the provider. Otherwise
 * a part of the period fills the fee balance.
 *
 * @returns the fee that the caller of remit earns, in protocol units
 */
export function chargeSubscriber(
  state: RemitState,
  run: RemitEffects,
  { subscription, position }: { readonly subscription: LiveSubscription; readonly position: number },
): bigint {
  const { terms, decimals, subscribers } = subscription
  const { id, amount, frequency, provider, token } = terms
  const account = subscribers[position - 1]
  if (account === undefined) throw new RangeError(`A subscriber set has no position ${position}`)
  const subscriber = account.address
  const funds = state.balances.find(token, subscriber)
  if (funds === undefined) throw new RangeError(`The funds of ${subscriber} in ${token} are missing`)

  const { callerFee } = state.backlog
  const fee = subscriptionFee(amount, callerFee)
  const own = { amount, frequency, feeBalance: account.feeBalance }
  const decided = decideCharge(own, { decimals, callerFee }, funds)
  const transfers: TokenTransfer[] = []
  const charge = { id, subscriber, dayNumber: state.nextUncheckedDay, transfers }
  if (decided.verdict.kind === 'fails') {
    const reason = decided.verdict.reason === 'balance' ? 'balance' : 'allowance'
    run.charges.push({ ...charge, outcome: 'failed', reason })
    removeAt(subscribers, position)
    // A fee balance that is no larger than the fee stays in the contract.
    if (account.feeBalance <= fee) return 0n
    const amountRaw = toRaw(account.feeBalance - fee, decimals)
    transfers.push(sendFromContract(state, run, { token, to: provider, amountRaw }))
    return fee
  }
  const take = (to: TokenTransfer['to'], amountRaw: bigint) =>
    transfers.push(takeFromSubscriber(state, run, { token, from: subscriber, to, amountRaw }))
  run.charges.push({ ...charge, outcome: decided.fills ? 'feeFill' : 'paid' })
  if (decided.fills) take(state.backlog.accounts.contract, decided.toFeeBalance)
  // A weekly period that fills the fee balance leaves nothing for the provider, and makes no transfer to it.
  if (!decided.fills || frequency !== 0) take(provider, decided.toProvider)
  account.feeBalance = decided.feeBalance
  return fee
}
