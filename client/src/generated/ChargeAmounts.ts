// Generated from src/protocol/coverage/ChargeAmounts.ts by client/generate/main.ts. Do not edit.
import type { RecurringCharge } from './allowance.ts'
import { toRaw } from './amounts.ts'
import { feeFill, splitToRaw, subscriptionFee } from './fees.ts'

/** A subscription that remit charges a wallet for. */
export interface ChargedSubscription extends RecurringCharge {
  /** What the contract holds of the wallet for remit's callers, in protocol units. */
  readonly feeBalance: bigint
}

/**
 * What each charge of a subscription takes of the wallet, in raw units.
 *
 * Usually it is a full period. Where the fee balance has run out, a part fills it and the rest goes to the
 * provider: two transfers, each truncated, which together can take a little less.
 */
export class ChargeAmounts {
  /** One full period: remit asks for it whatever it takes. */
  readonly full: bigint
  readonly #feeBalance: bigint
  readonly #fee: bigint
  readonly #fill: bigint
  /** What a period that fills the fee balance takes less than a full one. */
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

  /** What these charges take together, after so many that were paid before. */
  taken(paidBefore: number, charges: number): bigint {
    const fills = this.#saved === 0n ? 0n : this.#fills(paidBefore + charges) - this.#fills(paidBefore)
    return BigInt(charges) * this.full - fills * this.#saved
  }

  /**
   * How many of the first charges fill the fee balance: each takes the fee, and one that meets no more than the
   * fee fills. A fill is never less than the fee (a twelfth against 8.33 percent), so the balance keeps up.
   */
  #fills(charges: number): bigint {
    const behind = BigInt(charges) * this.#fee - this.#feeBalance
    if (charges === 0 || behind < 0n) return 0n
    const needed = this.#fill === 0n ? BigInt(charges) : behind / this.#fill + 1n
    return needed < charges ? needed : BigInt(charges)
  }
}
