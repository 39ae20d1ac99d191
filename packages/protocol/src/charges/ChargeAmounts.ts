import type { RecurringCharge } from '../allowance.ts'
import { toRaw } from '../amounts.ts'
import { feeFill, splitToRaw, subscriptionFee } from '../fees.ts'

/** A subscription that remit charges a wallet for. */
export interface ChargedSubscription extends RecurringCharge {
  /** The fee balance in the contract, for remit's callers, in protocol units. */
  readonly feeBalance: bigint
}

/**
 * What many charges of a subscription take from the wallet, in raw units, by arithmetic (`decideCharge` makes a single
 * charge).
 *
 * Usually it is a full period. Where the fee balance has run out, a part of the period fills it and the rest goes to the
 * provider. Both transfers are truncated, so together they can be a little less.
 */
export class ChargeAmounts {
  /** One full period. Remit requires it even where it takes less. */
  readonly full: bigint
  readonly #feeBalance: bigint
  readonly #fee: bigint
  readonly #fill: bigint
  /** By how much a period that fills the fee balance is less than a full one. */
  readonly #saved: bigint

  constructor(
    subscription: ChargedSubscription,
    { decimals, callerFee }: { readonly decimals: number; readonly callerFee: bigint },
  ) {
    const split = feeFill(subscription)
    this.full = toRaw(subscription.amount, decimals)
    this.#feeBalance = subscription.feeBalance
    this.#fee = subscriptionFee(subscription.amount, callerFee)
    this.#fill = split.toFeeBalance
    this.#saved = this.full - splitToRaw(split, decimals).total
  }

  /** What so many charges take together, and the fee balance after them. */
  after(charges: number): { taken: bigint; feeBalance: bigint } {
    const [count, fills] = [BigInt(charges), this.#fills(charges)]
    return {
      taken: count * this.full - fills * this.#saved,
      feeBalance: this.#feeBalance + fills * this.#fill - count * this.#fee,
    }
  }

  /**
   * How many of the first charges fill the fee balance. Each charge uses one fee. A charge that finds no more than one fee
   * fills the balance. A fill is never less than the fee (a twelfth of the amount; the fee is 8.33 percent at most).
   */
  #fills(charges: number): bigint {
    const behind = BigInt(charges) * this.#fee - this.#feeBalance
    if (charges === 0 || behind < 0n) return 0n
    const needed = this.#fill === 0n ? BigInt(charges) : behind / this.#fill + 1n
    return needed < charges ? needed : BigInt(charges)
  }
}
