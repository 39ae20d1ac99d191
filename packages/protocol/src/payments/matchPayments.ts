/**
 * What subscribers paid or got back in a transaction: the contract's logs say what happened, the tokens' Transfer logs what moved. Remit
 * is the contract's function that charges all who are due. It logs Coordinates with the day that it is at before each charge that pays
 * and after each drop, and CallerLog where it ends a day or breaks off within one.
 */

import { type Address, type Hex, isAddressEqual } from 'viem'
import { toRaw } from '../amounts.ts'
import { dayNumberAt } from '../calendar.ts'
import { type DecodedLog, decodeLogs, type EncodedLog, type SubLog } from '../logs/events.ts'
import type { Payment } from './Payment.ts'

type Draft = { -readonly [Field in keyof Payment]: Payment[Field] }

/**
 * The payments of one transaction, in the order of its logs, which alone tells which belong together (docs/protocol.md, "Logs"). `Step`
 * reads the logs of one payment, and `FeeGroups` divides the fees, which are paid for several charges at once.
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
    // No step begins here: the next log may begin one.
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

/** Reads one step of a membership: the contract's logs from a given one on which together say that somebody was charged, was dropped or left. */
class Step {
  readonly #logs: readonly LogWithTransfers[]
  readonly #contract: Address
  readonly #decimalsOf: (token: Address) => number | undefined
  readonly #begin: number
  /** The place of the contract's log after those that were read so far; in the end, after the step. */
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
        return this.#feeFill(log)
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
    // Of a first charge FeeFilled states just what fills the fee balance.
    if (filled === undefined) return { ...payment, isStated: false }
    return this.#pay(payment, filled, filled.amount)
  }

  #feeFill(log: SubLog): Draft {
    this.paysFee = true
    const payment = this.#draft(log, 'feeFill')
    // Here FeeFilled states the amount of the whole period. All of a weekly one fills the fee balance, and no ProviderPaid follows. Of any
    // other, a part does, which no log states.
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

  /** A drop that begins with the fee balance, less the caller's fee, going to the provider. One without had too little for the fee. */
  #dropped(log: SubLog): Draft {
    this.paysFee = log.amount > 0n
    const payment = this.#draft(log, 'dropped')
    this.#move(payment, 'toProvider', log, { from: this.#contract, to: log.provider }, log.amount)
    const ended = this.#follows(log, 'Unsubscribed')
    return this.#failed(ended === undefined ? payment : { ...payment, period: ended.amount }, log)
  }

  /** The end of a drop: the logs Failed, and Coordinates with the day that remit was at. */
  #failed(payment: Draft, log: SubLog): Draft {
    this.#follows(log, 'Failed')
    const following = this.#logs[this.next]
    if (following?.coordinates === undefined) return payment
    this.next += 1
    return { ...payment, dayNumber: following.coordinates, lastLogIndex: following.logIndex }
  }

  /** A membership that ends with an Unsubscribed. The log after it says how: left, cleaned up after a cancellation, dropped or removed. */
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
    // Remit has logged Coordinates just before such a charge. Those of a drop come after it: see `#failed`.
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

  /**
   * Adds the transfer behind the contract's last log that was read. `isStated` turns false where there is none, or its amount differs.
   * @param asked what the contract asked the token for, in protocol units; `undefined` where no log tells
   */
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

/** A token's Transfer log. */
interface TransferLog {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amountRaw: bigint
  readonly logIndex: number
}

/** A log of the contract, with the transfers between it and the contract's next log. */
interface LogWithTransfers {
  readonly event: string
  /** Set for a SubLog. */
  readonly log: SubLog | undefined
  /** The day that remit was walking, where it is a Coordinates. */
  readonly coordinates: number | undefined
  /** Who called remit, where it is a CallerLog. */
  readonly caller: Address | undefined
  readonly logIndex: number
  readonly transfers: readonly TransferLog[]
}

/** The contract's logs in their order. Transfers before the first one belong to nothing. */
function logsWithTransfers<Log extends EncodedLog & { readonly logIndex: number }>(
  logs: readonly DecodedLog<Log>[],
): readonly LogWithTransfers[] {
  const found: (LogWithTransfers & { transfers: TransferLog[] })[] = []
  for (const decoded of logs) {
    const { logIndex, address: token } = decoded.log
    switch (decoded.type) {
      case 'Unknown':
      case 'Approval':
        break
      case 'Transfer': {
        const { from, to, amountRaw } = decoded
        found.at(-1)?.transfers.push({ token, from, to, amountRaw, logIndex })
        break
      }
      default:
        found.push({
          event: decoded.type === 'SubLog' ? decoded.eventName : decoded.type,
          log: decoded.type === 'SubLog' ? decoded : undefined,
          coordinates: decoded.type === 'Coordinates' ? decoded.nextUncheckedDay : undefined,
          caller: decoded.type === 'CallerLog' ? decoded.caller : undefined,
          logIndex,
          transfers: [],
        })
    }
  }
  return found
}

type Fees = { -readonly [Field in 'callerFee' | 'systemShare']: Payment[Field] }
type Charged = Omit<Payment, keyof Fees> & Fees

/**
 * Gives the fees of a transaction to the charges that paid them. Remit pays those of a subscription together, behind its last subscriber or
 * where its page ends. Each charge owes the same fee, so the transfer is divided evenly, and the last charge has the rest. A clean-up pays
 * the system's share of all that it refunds behind the last one.
 */
class FeeGroups {
  readonly #contract: Address
  readonly #logs: readonly LogWithTransfers[]
  #group: Charged[] = []

  constructor(contract: Address, contractLogs: readonly LogWithTransfers[]) {
    this.#contract = contract
    this.#logs = contractLogs
  }

  /** Takes the next payment. @param last the place of its last log among the contract's, behind which fees may be paid */
  after(
    payment: Charged,
    last: number,
    { used, paysFee }: { readonly used: ReadonlySet<TransferLog>; readonly paysFee: boolean },
  ): void {
    const [before] = this.#group
    // The next subscription begins. Fees of the last one for which no transfer came stay in the contract.
    if (before !== undefined && !isSameGroup(before, payment)) this.#group = []
    if (paysFee) this.#group.push(payment)
    const paid = (this.#logs[last]?.transfers ?? []).filter(
      (move) =>
        !used.has(move) &&
        isAddressEqual(move.token, payment.token) &&
        isAddressEqual(move.from, this.#contract),
    )
    const [first] = paid
    if (first === undefined || this.#group.length === 0) return
    if (payment.kind === 'cleanedUp') this.#divideShare(first.amountRaw)
    else this.#divideFees(feesOf(paid, this.#callerAfter(last)))
    this.#group = []
  }

  /** Fees that no transfer has paid by then stay in the contract. */
  endOfRemit(): void {
    this.#group = []
  }

  /** Who called the remit that these logs belong to: every remit ends with a CallerLog. */
  #callerAfter(last: number): Address | undefined {
    return this.#logs.slice(last + 1).find(({ caller }) => caller !== undefined)?.caller
  }

  #divideFees({ callerFee, systemShare }: Fees): void {
    const count = BigInt(this.#group.length)
    for (const [index, charge] of this.#group.entries()) {
      const isLast = index === this.#group.length - 1
      charge.callerFee = callerFee / count + (isLast ? callerFee % count : 0n)
      charge.systemShare = systemShare / count + (isLast ? systemShare % count : 0n)
    }
  }

  /** The share is of each fee balance, so it is divided by what each got back. */
  #divideShare(share: bigint): void {
    const refunded = this.#group.reduce((sum, { toSubscriber }) => sum + toSubscriber, 0n)
    let rest = share
    for (const [index, cleaned] of this.#group.entries()) {
      const isLast = index === this.#group.length - 1
      cleaned.systemShare = isLast || refunded === 0n ? rest : (share * cleaned.toSubscriber) / refunded
      rest -= cleaned.systemShare
    }
  }
}

function isSameGroup(before: Charged, next: Charged): boolean {
  return (
    before.subscriptionId === next.subscriptionId &&
    (before.kind === 'cleanedUp') === (next.kind === 'cleanedUp')
  )
}

/**
 * The fees among the transfers that follow a subscription's charges: the system's share first, where it is on, then the caller's fee.
 * - The first transfer goes to somebody else than the caller: it is the share, and the next one to the caller is the fee.
 * - The first goes to the caller: it is the fee. But if a second one of more than 0 follows, the first is the share, which the caller gets too.
 * - A second one of 0 is no fee of these charges. Remit pays it where it breaks off before the next subscription's first subscriber.
 * @param caller `undefined` where no CallerLog follows: then everybody counts as the caller
 */
function feesOf([first, ...others]: readonly TransferLog[], caller: Address | undefined): Fees {
  if (first === undefined) return { callerFee: 0n, systemShare: 0n }
  const isCallers = ({ to }: TransferLog) => caller === undefined || isAddressEqual(to, caller)
  const second = others.find(isCallers)
  const firstIsShare = !isCallers(first) || (second !== undefined && second.amountRaw > 0n)
  return firstIsShare
    ? { systemShare: first.amountRaw, callerFee: second?.amountRaw ?? 0n }
    : { systemShare: 0n, callerFee: first.amountRaw }
}
