import { type Address, isAddressEqual } from 'viem'
import type { LogWithTransfers, TransferLog } from './logsWithTransfers.ts'
import type { Payment } from './Payment.ts'

type Fees = { -readonly [Field in 'callerFee' | 'systemShare']: Payment[Field] }
type Charged = Omit<Payment, keyof Fees> & Fees

/**
 * Gives the fees of a transaction to the charges that paid them.
 *
 * Remit pays the fees of a subscription together, behind its last subscriber or where its page ends: the system's share
 * first where it is on, then the caller's fee. Each charge owes the same fee, so the transfer is divided evenly, and the
 * last charge has the rest. A clean-up pays the system's share of all that it refunds behind the last one.
 */
export class FeeGroups {
  readonly #contract: Address
  readonly #logs: readonly LogWithTransfers[]
  #group: Charged[] = []

  constructor(contract: Address, contractLogs: readonly LogWithTransfers[]) {
    this.#contract = contract
    this.#logs = contractLogs
  }

  /**
   * Takes the next payment.
   * @param last the place of its last log among the contract's, behind which fees may be paid
   * @param step.used the transfers that are the payment's own
   * @param step.paysFee whether a fee is taken for it
   */
  after(
    payment: Charged,
    last: number,
    { used, paysFee }: { readonly used: ReadonlySet<TransferLog>; readonly paysFee: boolean },
  ): void {
    const [before] = this.#group
    // Fees that no transfer paid behind a subscription's last charge stay in the contract.
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
    let left = share
    for (const [index, cleaned] of this.#group.entries()) {
      const isLast = index === this.#group.length - 1
      cleaned.systemShare = isLast || refunded === 0n ? left : (share * cleaned.toSubscriber) / refunded
      left -= cleaned.systemShare
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
 * The fees among the transfers that follow a subscription's charges. A fee of 0 may come last: that of a page which ends before
 * the next subscription's first subscriber.
 */
function feesOf([first, ...others]: readonly TransferLog[], caller: Address | undefined): Fees {
  if (first === undefined) return { callerFee: 0n, systemShare: 0n }
  const isCallers = ({ to }: TransferLog) => caller === undefined || isAddressEqual(to, caller)
  const second = others.find(isCallers)
  // The system's share may go to the caller too.
  const firstIsShare = !isCallers(first) || (second !== undefined && second.amountRaw > 0n)
  return firstIsShare
    ? { systemShare: first.amountRaw, callerFee: second?.amountRaw ?? 0n }
    : { systemShare: 0n, callerFee: first.amountRaw }
}
