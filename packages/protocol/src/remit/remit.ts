/**
 * What the contract's remit() does, which charges all who are due, from the call down to one fee. `remitState` holds what it reads and
 * leaves:
 *
 * 1. `remit`: one call, also named a page. It goes day by day up to the first one that is not empty, on which something is due.
 * 2. `DayWalk`: one day. After maxRemits subscribers the call breaks off (a page break) and leaves a checkpoint: where the next one begins.
 * 3. `chargeSubscriber`: one subscriber pays, fills the fee balance, or is dropped.
 * 4. `payFees`: the system and the caller get the fees.
 *
 * The other files use these rules:
 *
 * - `forecastRemit` calls remit until nothing is due.
 * - `observeRemit` reads from logs what a simulated call did. `inferHiddenState` finds what the contract does not
 *   tell: the checkpoint, and whether the system takes its share. `replayProbe` runs the rules along what was seen.
 * - `forecastFromProbe` puts it together: what was seen first, what the rules say after it.
 */

import { isAddressEqual } from 'viem'
import { toRaw } from '../amounts.ts'
import { decideCharge } from '../charges/decideCharge.ts'
import { subscriptionFee, systemShare } from '../fees.ts'
import { FREQUENCIES, type Frequency } from '../subscription.ts'
import {
  type LiveSubscription,
  listOfDay,
  type RemitEffects,
  type RemitRevert,
  RemitReverted,
  type RemitState,
  removeAt,
  sendFromContract,
  type TokenTransfer,
  takeFromSubscriber,
} from './remitState.ts'

/** What became of one call. */
export type RemitOutcome =
  | {
      readonly ok: true
      readonly run: RemitEffects
      /** The day that was not empty: the first on which something was due. */
      readonly dayNumber: number
      /** How many days without anything due the call walked before it. */
      readonly emptyDays: number
      /** False where the call broke off at maxRemits. */
      readonly finished: boolean
    }
  | { readonly ok: false; readonly reason: RemitRevert }

/**
 * Runs one call of remit() over a state, as the contract does, and changes the state as the transaction would.
 *
 * After a revert the state cannot be used any more: on chain everything would be as before the call.
 * @throws RangeError where a subscriber's funds are missing from the backlog
 */
export function remit(state: RemitState): RemitOutcome {
  const run: RemitEffects = { charges: [], transfers: [], fees: [], callerFees: [], skipped: [] }
  let emptyDays = 0
  try {
    while (state.nextUncheckedDay <= state.backlog.currentDay) {
      if (emptyDays > state.emptyDaysPerCall) return { ok: false, reason: 'emptyDays' }
      const dayNumber = state.nextUncheckedDay
      const end = new DayWalk(state, run).walk()
      if (end === 'broken') return { ok: true, run, dayNumber, emptyDays, finished: false }
      state.checkpoint = undefined
      state.nextUncheckedDay += 1
      if (end === 'finished') return { ok: true, run, dayNumber, emptyDays, finished: true }
      emptyDays += 1
    }
    return { ok: false, reason: 'notDue' }
  } catch (error) {
    if (error instanceof RemitReverted) return { ok: false, reason: error.reason }
    throw error
  }
}

/**
 * One call's walk over the due lists of one day: from the checkpoint, where there is one, until maxRemits subscribers
 * are processed or the day is done.
 */
class DayWalk {
  readonly #state: RemitState
  readonly #run: RemitEffects
  readonly #dayNumber: number
  /** The checkpoint at which the walk begins. */
  readonly #from: RemitState['checkpoint']
  /**
   * The highest position that is visited in a due list.
   *
   * Quirk: the checkpoint's subscription position also cuts the lists of later frequencies. Only a cancelled or paused
   * checkpoint lifts that.
   */
  #topPosition: number
  /** Whether the checkpoint has been met. Before that nobody is charged. */
  #resumed: boolean
  /** Subscribers charged or dropped by this call. */
  #processed = 0

  constructor(state: RemitState, run: RemitEffects) {
    this.#state = state
    this.#run = run
    this.#dayNumber = state.nextUncheckedDay
    this.#from = state.checkpoint
    this.#resumed = state.checkpoint === undefined
    this.#topPosition = state.checkpoint?.subscriptionPosition ?? Number.POSITIVE_INFINITY
  }

  /** Walks the four due lists of the state's next unchecked day, each from its end. */
  walk(): 'empty' | 'finished' | 'broken' {
    let empty = true
    for (const frequency of FREQUENCIES) {
      if (this.#from !== undefined && frequency < this.#from.frequency) continue
      const list = listOfDay(this.#state, this.#dayNumber, frequency)
      this.#noteSkipped(list, frequency)
      for (let position = Math.min(list.length, this.#topPosition); position >= 1; position -= 1) {
        const subscription = list[position - 1]
        if (subscription === undefined) throw new RangeError(`A due list has no position ${position}`)
        if (subscription.subscribers.length === 0) {
          removeAt(list, position)
          continue
        }
        // A day counts as non-empty also for subscriptions that are cancelled or paused.
        empty = false
        if (subscription.terms.cancelled || subscription.paused) {
          if (subscription.terms.cancelled) removeAt(list, position)
          this.#clearCheckpointAt(subscription)
          continue
        }
        if (this.#walkSubscribers(subscription, position, frequency) === 'broken') return 'broken'
      }
    }
    return empty ? 'empty' : 'finished'
  }

  /** Records the due subscriptions that the checkpoint's position cuts off: they lose this period. */
  #noteSkipped(list: readonly LiveSubscription[], frequency: Frequency): void {
    if (this.#from === undefined || frequency <= this.#from.frequency) return
    for (const { terms, paused, subscribers } of list.slice(this.#topPosition)) {
      const due = subscribers.length > 0 && !terms.cancelled && !paused
      if (due) this.#run.skipped.push({ id: terms.id, dayNumber: this.#dayNumber })
    }
  }

  /** A cancelled or paused subscription at the checkpoint counts as met: what follows it is charged from its end. */
  #clearCheckpointAt(subscription: LiveSubscription): void {
    if (this.#resumed || this.#from?.id !== subscription.terms.id) return
    this.#resumed = true
    this.#topPosition = Number.POSITIVE_INFINITY
  }

  /** Charges the subscribers of a subscription, from the end of its set or from the checkpoint. */
  #walkSubscribers(
    subscription: LiveSubscription,
    subscriptionPosition: number,
    frequency: Frequency,
  ): 'done' | 'broken' {
    const { subscribers, terms } = subscription
    const active = subscribers.length - subscription.unsubscribedCount
    if (active < 0) throw new RemitReverted('listedExceedSubscribers')
    const top = this.#topSubscriber(subscription)
    if (top === undefined) return 'done'
    let fees = 0n
    for (let position = top; position >= 1; position -= 1) {
      if (this.#processed >= this.#state.backlog.maxRemits) {
        const { id } = terms
        this.#state.checkpoint = { id, subscriberPosition: position, subscriptionPosition, frequency }
        payFees(this.#state, this.#run, { subscription, fees })
        return 'broken'
      }
      // Quirk: where position 1 is on the unsubscribed list, the subscription's fees stay in the contract.
      if (subscribers[position - 1]?.isUnsubscribed === true) continue
      this.#processed += 1
      fees += chargeSubscriber(this.#state, this.#run, { subscription, position })
      if (position === 1 && active > 0) payFees(this.#state, this.#run, { subscription, fees })
    }
    return 'done'
  }

  /** The position to begin at, or `undefined` where the checkpoint is not in this subscription. */
  #topSubscriber({ subscribers, terms }: LiveSubscription): number | undefined {
    if (this.#resumed) return subscribers.length
    const position = this.#from?.subscriberPosition ?? 0
    if (this.#from?.id !== terms.id || position < 1 || position > subscribers.length) return undefined
    this.#resumed = true
    return position
  }
}

/**
 * Charges one subscriber for one due day. Both allowance and balance must hold a full period, or remit drops the
 * subscriber. Where the fee balance is larger than the caller's fee, the whole period goes to the provider. Otherwise
 * a part of the period fills the fee balance.
 *
 * @returns the fee that the caller of remit earns, in protocol units
 */
function chargeSubscriber(
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
  run.charges.push({ ...charge, outcome: decided.isFeeFill ? 'feeFill' : 'paid' })
  if (decided.isFeeFill) take(state.backlog.accounts.contract, decided.toFeeBalance)
  // A weekly period that fills the fee balance leaves nothing for the provider, and makes no transfer to it.
  if (!decided.isFeeFill || frequency !== 0) take(provider, decided.toProvider)
  account.feeBalance = decided.feeBalance
  return fee
}

/**
 * Pays the fees of one subscription: first the system's share, where it is switched on, then the rest to the caller.
 * Transfers of 0 are made too.
 *
 * @param options.fees in protocol units
 */
function payFees(
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
