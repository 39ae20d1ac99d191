import { type Address, type Hex, isAddressEqual } from 'viem'
import { toRaw } from '../amounts.ts'
import { dayNumberAt } from '../calendar.ts'
import { decodeLogs, type EncodedLog, type SubLog } from '../logs/events.ts'
import { FeeGroups } from './FeeGroups.ts'
import { type LogWithTransfers, logsWithTransfers, type TransferLog } from './logsWithTransfers.ts'
import type { Payment } from './Payment.ts'

type Draft = { -readonly [Field in keyof Payment]: Payment[Field] }

/**
 * The payments of one transaction, in the order of its logs: each step of a subscription with the Transfer logs that
 * belong to it by their order (docs/protocol.md, "Logs").
 *
 * @param logs all logs of the transaction's receipt, in order
 * @param decimalsOf the decimals in the contract's entry for a token; `undefined` for one that has none
 */
export function matchPayments<Log extends EncodedLog & { readonly logIndex: number }>(
  logs: readonly Log[],
  contract: Address,
  decimalsOf: (token: Address) => number | undefined,
): readonly Payment[] {
  const contractLogs = logsWithTransfers(decodeLogs(logs, contract))
  const payments: Draft[] = []
  const fees = new FeeGroups(contract, contractLogs)
  for (let at = 0; at < contractLogs.length; ) {
    const step = new Step(contractLogs, at, contract, decimalsOf)
    const payment = step.read()
    if (payment === undefined) {
      if (contractLogs[at]?.caller !== undefined) fees.endOfRemit()
      at += 1
      continue
    }
    payments.push(payment)
    at = step.next
    fees.after(payment, at - 1, step)
  }
  return payments
}

/** One step of a subscription, which begins at one of the contract's logs. */
class Step {
  readonly #logs: readonly LogWithTransfers[]
  readonly #contract: Address
  readonly #decimalsOf: (token: Address) => number | undefined
  readonly #begin: number
  /** The place of the contract's log after the step. */
  next: number
  /** The transfers that belong to it. */
  readonly used = new Set<TransferLog>()
  /** Whether remit or a clean-up takes a fee for it. */
  paysFee = false

  constructor(
    contractLogs: readonly LogWithTransfers[],
    begin: number,
    contract: Address,
    decimalsOf: (token: Address) => number | undefined,
  ) {
    this.#logs = contractLogs
    this.#begin = begin
    this.#contract = contract
    this.#decimalsOf = decimalsOf
    this.next = begin + 1
  }

  /** `undefined` where no step begins there. */
  read(): Draft | undefined {
    const log = this.#log(this.#begin)
    if (log?.subscriber === undefined) return undefined
    switch (log.eventName) {
      case 'Subscribed':
        return this.#firstCharge(log)
      case 'SubscriberPaid':
        return this.#period(log)
      case 'FeeFilled':
        return this.#fill(log)
      case 'ProviderRefunded':
        return this.#dropped(log)
      case 'Unsubscribed':
        return this.#ended(log)
      default:
        return undefined
    }
  }

  #firstCharge(log: SubLog): Draft {
    const filled = this.#follows(log, 'FeeFilled')
    const payment = this.#draft(log, 'firstCharge')
    if (filled === undefined) return { ...payment, isStated: false }
    return this.#pay(payment, filled, filled.amount)
  }

  #fill(log: SubLog): Draft {
    this.paysFee = true
    const payment = this.#draft(log, 'feeFill')
    // The log states the whole period. For a weekly one that is the fill; else its part is not logged.
    const isWhole = this.#logs[this.next]?.event !== 'ProviderPaid'
    return this.#pay(payment, log, isWhole ? log.amount : undefined)
  }

  /** What the subscriber puts into its fee balance, then what the provider gets. */
  #pay(payment: Draft, log: SubLog, asked: bigint | undefined): Draft {
    this.#move(payment, 'toFeeBalance', log, { from: log.subscriber, to: this.#contract }, asked)
    const paid = this.#follows(log, 'ProviderPaid')
    if (paid !== undefined) {
      this.#move(payment, 'toProvider', paid, { from: paid.subscriber, to: paid.provider }, paid.amount)
    }
    return payment
  }

  #period(log: SubLog): Draft {
    this.paysFee = true
    const payment = this.#draft(log, 'period')
    const paid = this.#follows(log, 'ProviderPaid')
    if (paid === undefined) return { ...payment, isStated: false }
    this.#move(payment, 'toProvider', paid, { from: paid.subscriber, to: paid.provider }, paid.amount)
    return payment
  }

  /**
   * A drop that begins with the fee balance going to the provider, less the caller's fee. What is left can be less than the token's
   * smallest unit. A drop without it had too little for the fee.
   */
  #dropped(log: SubLog): Draft {
    this.paysFee = log.amount > 0n
    const payment = this.#draft(log, 'dropped')
    this.#move(payment, 'toProvider', log, { from: this.#contract, to: log.provider }, log.amount)
    const ended = this.#follows(log, 'Unsubscribed')
    return this.#failed(ended === undefined ? payment : { ...payment, period: ended.amount }, log)
  }

  #failed(payment: Draft, log: SubLog): Draft {
    this.#follows(log, 'Failed')
    const following = this.#logs[this.next]
    if (following?.coordinates === undefined) return payment
    this.next += 1
    return { ...payment, dayNumber: following.coordinates, lastLogIndex: following.logIndex }
  }

  #ended(log: SubLog): Draft {
    const refund = this.#follows(log, 'ProviderRefunded')
    if (refund !== undefined) {
      const payment = this.#draft(log, 'left')
      this.#move(payment, 'toProvider', refund, { from: this.#contract, to: log.provider }, refund.amount)
      return payment
    }
    const cleaned = this.#follows(log, 'SubscriberRefunded')
    if (cleaned === undefined && this.#isEvent(this.next, log, 'Failed')) {
      return this.#failed(this.#draft(log, 'dropped'), log)
    }
    this.paysFee = cleaned !== undefined
    const payment = this.#draft(log, cleaned === undefined ? 'removed' : 'cleanedUp')
    this.#move(
      payment,
      'toSubscriber',
      cleaned ?? log,
      { from: this.#contract, to: log.subscriber },
      undefined,
    )
    return payment
  }

  #draft(log: SubLog, kind: Payment['kind']): Draft {
    const begin = this.#logs[this.#begin]
    if (begin === undefined || log.subscriber === undefined)
      throw new Error('a step begins at a log of a subscriber')
    const charged = kind === 'period' || kind === 'feeFill'
    const coordinates = charged ? this.#logs[this.#begin - 1]?.coordinates : undefined
    return {
      kind,
      subscriptionId: log.id,
      provider: log.provider,
      subscriber: log.subscriber,
      token: log.token,
      period: log.amount,
      dayNumber: coordinates ?? dayNumberAt(log.timestamp),
      timestamp: log.timestamp,
      toProvider: 0n,
      toFeeBalance: 0n,
      toSubscriber: 0n,
      callerFee: 0n,
      systemShare: 0n,
      isStated: true,
      logIndex: begin.logIndex,
      lastLogIndex: this.#logs[this.next - 1]?.logIndex ?? begin.logIndex,
    }
  }

  /** Adds the transfer that belongs to the contract's last log that was read. */
  #move(
    payment: Draft,
    into: 'toProvider' | 'toFeeBalance' | 'toSubscriber',
    { token }: Pick<SubLog, 'token'>,
    { from, to }: { readonly from: Address | undefined; readonly to: Address | undefined },
    asked: bigint | undefined,
  ): void {
    const last = this.#logs[this.next - 1]
    const moved = last?.transfers.find(
      (move) =>
        isAddressEqual(move.token, token) &&
        from !== undefined &&
        isAddressEqual(move.from, from) &&
        to !== undefined &&
        isAddressEqual(move.to, to),
    )
    payment.lastLogIndex = moved?.logIndex ?? last?.logIndex ?? payment.lastLogIndex
    if (moved === undefined) {
      payment.isStated = false
      return
    }
    this.used.add(moved)
    payment[into] += moved.amountRaw
    const decimals = asked === undefined ? undefined : this.#decimalsOf(token)
    if (asked === undefined || decimals === undefined) return
    if (toRaw(asked, decimals) !== moved.amountRaw) payment.isStated = false
  }

  /** The contract's next log where it is this event of the same subscriber; the step goes on behind it. */
  #follows(first: SubLog, eventName: SubLog['eventName']): SubLog | undefined {
    if (!this.#isEvent(this.next, first, eventName)) return undefined
    const log = this.#log(this.next)
    this.next += 1
    return log
  }

  #isEvent(index: number, first: SubLog, eventName: SubLog['eventName']): boolean {
    const log = this.#log(index)
    return (
      log?.eventName === eventName && log.id === first.id && sameSubscriber(log.subscriber, first.subscriber)
    )
  }

  #log(index: number): SubLog | undefined {
    return this.#logs[index]?.log
  }
}

function sameSubscriber(one: Hex | undefined, other: Hex | undefined): boolean {
  return one !== undefined && other !== undefined && isAddressEqual(one, other)
}
