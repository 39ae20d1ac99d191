import { type Address, type Hex, isAddressEqual } from 'viem'
import { toRaw } from '../amounts.ts'
import { feeFill, subscriptionFee, systemShare } from '../fees.ts'
import type { Frequency } from '../subscription.ts'
import type { TokenTransfer } from './ledger.ts'
import { type LiveSubscription, type RemitState, removeAt } from './remitState.ts'

/** What remit did with one subscriber on one due day. */
export interface Charge {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `failed`: dropped from the subscription, for want of allowance or balance for one full period. */
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** Why it failed; the allowance where both are short. */
  readonly reason?: 'allowance' | 'balance'
  /** What it moves, the fee left out, which is paid for many at once. */
  readonly transfers: readonly TokenTransfer[]
}

/** What one transaction of remit does. */
export interface RemitRun {
  readonly charges: Charge[]
  /** In the order of their logs, those of 0 included. */
  readonly transfers: TokenTransfer[]
  /** Those of them that the contract pays out of the fees. */
  readonly fees: TokenTransfer[]
  /** What the fees pay the caller, once per subscription and page; both parts where it receives the system's. */
  readonly callerFees: { readonly token: Address; readonly amountRaw: bigint }[]
  /** Due subscriptions that lose this period to a page break (protocol facts, "Remit: days and pages"). */
  readonly skipped: { readonly id: Hex; readonly dayNumber: number }[]
}

/** Why remit reverts. */
export type RemitRevert =
  /** Revert string 6: every day up to today is empty, or checked already. */
  | 'notDue'
  /** More empty days in a row than one call can walk. */
  | 'emptyDays'
  /** Panic 0x11: a subscription's unsubscribed list is larger than its subscriber set. */
  | 'listedExceedSubscribers'
  /** The contract holds less of a token than it owes. */
  | 'contractFunds'

/** Thrown through a walk, which the chain undoes as a whole. */
export class RemitReverted extends Error {
  readonly reason: RemitRevert

  constructor(reason: RemitRevert) {
    super(reason)
    this.reason = reason
  }
}

/** One page of a day: from the checkpoint, where there is one, to the limit or the day's end. */
export class RemitPage {
  /**
   * Quirk: the checkpoint's subscription position also cuts the lists of later frequencies, and only a
   * cancelled or paused checkpoint lifts it.
   */
  topPosition: number
  readonly #state: RemitState
  readonly #run: RemitRun
  readonly #dayNumber: number
  readonly #from: RemitState['checkpoint']
  #resumed: boolean
  #processed = 0

  constructor(state: RemitState, run: RemitRun) {
    this.#state = state
    this.#run = run
    this.#dayNumber = state.nextUncheckedDay
    this.#from = state.checkpoint
    this.#resumed = state.checkpoint === undefined
    this.topPosition = state.checkpoint?.subscriptionPosition ?? Number.POSITIVE_INFINITY
  }

  isBefore(frequency: Frequency): boolean {
    return this.#from !== undefined && frequency < this.#from.frequency
  }

  noteSkipped(list: readonly LiveSubscription[], frequency: Frequency): void {
    if (this.#from === undefined || frequency <= this.#from.frequency) return
    for (const { terms, paused, subscribers } of list.slice(this.topPosition)) {
      const due = subscribers.length > 0 && !terms.cancelled && !paused
      if (due) this.#run.skipped.push({ id: terms.id, dayNumber: this.#dayNumber })
    }
  }

  clearAt(subscription: LiveSubscription): void {
    if (this.#resumed || this.#from?.id !== subscription.terms.id) return
    this.#resumed = true
    this.topPosition = Number.POSITIVE_INFINITY
  }

  walk(
    subscription: LiveSubscription,
    subscriptionPosition: number,
    frequency: Frequency,
  ): 'done' | 'broken' {
    const { subscribers, terms } = subscription
    const live = subscribers.length - subscription.listedCount
    if (live < 0) throw new RemitReverted('listedExceedSubscribers')
    const top = this.#topSubscriber(subscription)
    if (top === undefined) return 'done'
    let fees = 0n
    for (let position = top; position >= 1; position -= 1) {
      if (this.#processed >= this.#state.backlog.maxRemits) {
        const { id } = terms
        this.#state.checkpoint = { id, subscriberPosition: position, subscriptionPosition, frequency }
        this.#payFees(subscription, fees)
        return 'broken'
      }
      // Quirk: where position 1 is listed, the subscription's fees stay in the contract.
      if (subscribers[position - 1]?.listed === true) continue
      this.#processed += 1
      fees += this.#charge(subscription, position)
      if (position === 1 && live > 0) this.#payFees(subscription, fees)
    }
    return 'done'
  }

  /** Where to begin in a subscription, or `undefined` where the checkpoint is not met in it. */
  #topSubscriber({ subscribers, terms }: LiveSubscription): number | undefined {
    if (this.#resumed) return subscribers.length
    const position = this.#from?.subscriberPosition ?? 0
    if (this.#from?.id !== terms.id || position < 1 || position > subscribers.length) return undefined
    this.#resumed = true
    return position
  }

  /** Charges or drops one subscriber; its fee, in protocol units, is the answer. */
  #charge(subscription: LiveSubscription, position: number): bigint {
    const { terms, decimals, subscribers } = subscription
    const { id, amount, provider, token } = terms
    const account = subscribers[position - 1]
    if (account === undefined) throw new RangeError(`A subscriber set has no position ${position}`)
    const subscriber = account.address
    const funds = this.#state.ledger.find(token, subscriber)
    if (funds === undefined) throw new RangeError(`The funds of ${subscriber} in ${token} are missing`)

    const fee = subscriptionFee(amount, this.#state.backlog.callerFee)
    const full = toRaw(amount, decimals)
    const transfers: TokenTransfer[] = []
    const charge = { id, subscriber, dayNumber: this.#dayNumber, transfers }
    if (funds.allowance < full || funds.balance < full) {
      const reason = funds.allowance < full ? 'allowance' : 'balance'
      this.#run.charges.push({ ...charge, outcome: 'failed', reason })
      removeAt(subscribers, position)
      if (account.feeBalance <= fee) return 0n
      const amountRaw = toRaw(account.feeBalance - fee, decimals)
      transfers.push(this.#send({ token, to: provider, amountRaw }))
      return fee
    }
    if (account.feeBalance > fee) {
      this.#run.charges.push({ ...charge, outcome: 'paid' })
      transfers.push(this.#pull({ token, from: subscriber, to: provider, amountRaw: full }))
      account.feeBalance -= fee
      return fee
    }
    this.#run.charges.push({ ...charge, outcome: 'feeFill' })
    const { toFeeBalance, toProvider } = feeFill(terms)
    const { contract } = this.#state.backlog.accounts
    const filled = toRaw(toFeeBalance, decimals)
    transfers.push(this.#pull({ token, from: subscriber, to: contract, amountRaw: filled }))
    if (terms.frequency !== 0) {
      const amountRaw = toRaw(toProvider, decimals)
      transfers.push(this.#pull({ token, from: subscriber, to: provider, amountRaw }))
    }
    account.feeBalance += toFeeBalance - fee
    return fee
  }

  #payFees({ terms: { token }, decimals }: LiveSubscription, fees: bigint): void {
    const { systemFee, accounts } = this.#state.backlog
    let share = 0n
    if (systemFee !== undefined) {
      if (accounts.systemFeeReceiver === undefined) throw new RangeError('The system fee has no receiver')
      share = systemShare(fees, systemFee)
      this.#sendFee({ token, to: accounts.systemFeeReceiver, amountRaw: toRaw(share, decimals) })
    }
    const amountRaw = toRaw(fees - share, decimals)
    this.#sendFee({ token, to: accounts.caller, amountRaw })
    const { systemFeeReceiver: receiver, caller } = accounts
    const isBoth = systemFee !== undefined && receiver !== undefined && isAddressEqual(receiver, caller)
    this.#run.callerFees.push({ token, amountRaw: isBoth ? amountRaw + toRaw(share, decimals) : amountRaw })
  }

  #sendFee(payment: Omit<TokenTransfer, 'from'>): void {
    this.#run.fees.push(this.#send(payment))
  }

  #send(payment: Omit<TokenTransfer, 'from'>): TokenTransfer {
    const transfer = { ...payment, from: this.#state.backlog.accounts.contract }
    if (!this.#state.ledger.transfer(transfer)) throw new RemitReverted('contractFunds')
    this.#run.transfers.push(transfer)
    return transfer
  }

  #pull(transfer: TokenTransfer): TokenTransfer {
    // Cannot fall short: both parts of a split together are at most the full period tested before.
    this.#state.ledger.transferByAllowance(transfer)
    this.#run.transfers.push(transfer)
    return transfer
  }
}
