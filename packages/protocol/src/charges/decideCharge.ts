/**
 * One charge of a subscription by remit: whether the wallet can pay, and what moves. Forecasts of remit, the coverage of a wallet, outlooks
 * and verdicts all decide here. `ChargeAmounts` adds up many charges that are all paid.
 */

import type { RecurringCharge } from '../allowance.ts'
import { toRaw } from '../amounts.ts'
import { feeFill, splitToRaw, subscriptionFee } from '../fees.ts'
import type { SubscriptionTerms } from '../subscription.ts'

/** What a wallet can spend in one token, in raw units; `null` where it is unlimited. */
export interface Means {
  readonly allowance: bigint | null
  readonly balance: bigint | null
}

/** What is missing for an amount, such as a full period, in raw units. */
export interface MissingFunds {
  readonly allowance: bigint
  readonly balance: bigint
}

/** What remit does with a charge that it reaches: it takes the period, or drops the subscriber for good. */
export type ChargeVerdict =
  | { readonly kind: 'pays' }
  | {
      readonly kind: 'fails'
      /** `unexplained`: a simulation has shown the drop, and the token's logs do not tell what was short. */
      readonly reason: 'allowance' | 'balance' | 'both' | 'unexplained'
      /** 0 if nobody knows. */
      readonly missing: MissingFunds
    }

/** One charge: its verdict, what it moves in raw units, and the fee balance after it in protocol units. */
interface ChargeDecision {
  readonly verdict: ChargeVerdict
  /** Whether a part of the period, or a whole weekly one, goes into the fee balance. */
  readonly isFeeFill: boolean
  readonly toFeeBalance: bigint
  readonly toProvider: bigint
  readonly feeBalance: bigint
}

const PAYS = { kind: 'pays' } as const

/** Remit was seen to drop the subscriber where the rules let it pay: the token takes more than it logs. */
export const UNEXPLAINED = {
  kind: 'fails',
  reason: 'unexplained',
  missing: { allowance: 0n, balance: 0n },
} as const satisfies ChargeVerdict

/** Whether these means are enough for a charge of `full` raw units, one whole period. Remit asks for a full period even where it takes less. */
export function judgeCharge(full: bigint, means: Means): ChargeVerdict {
  const missing = missingFunds(full, means)
  if (missing.allowance === 0n && missing.balance === 0n) return PAYS
  const reason = missing.balance === 0n ? 'allowance' : missing.allowance === 0n ? 'balance' : 'both'
  return { kind: 'fails', reason, missing }
}

/** What remit does with one charge that it reaches (docs/protocol.md). `callerFee` is the contract's factor over 10000. */
export function decideCharge(
  subscription: Pick<SubscriptionTerms, 'amount' | 'frequency'> & { readonly feeBalance: bigint },
  { decimals, callerFee }: { readonly decimals: number; readonly callerFee: bigint },
  means: Means,
): ChargeDecision {
  const { amount, feeBalance } = subscription
  const full = toRaw(amount, decimals)
  const verdict = judgeCharge(full, means)
  if (verdict.kind === 'fails')
    return { verdict, isFeeFill: false, toFeeBalance: 0n, toProvider: 0n, feeBalance }
  const fee = subscriptionFee(amount, callerFee)
  // Strictly more: a fee balance of exactly one fee is filled.
  if (feeBalance > fee) {
    return { verdict, isFeeFill: false, toFeeBalance: 0n, toProvider: full, feeBalance: feeBalance - fee }
  }
  const split = feeFill(subscription)
  const { toFeeBalance, toProvider } = splitToRaw(split, decimals)
  return {
    verdict,
    isFeeFill: true,
    toFeeBalance,
    toProvider,
    feeBalance: feeBalance + split.toFeeBalance - fee,
  }
}

/** By how much these means are less than so many raw units. */
export function missingFunds(needed: bigint, { allowance, balance }: Means): MissingFunds {
  const missing = (held: bigint | null) => (held === null || held >= needed ? 0n : needed - held)
  return { allowance: missing(allowance), balance: missing(balance) }
}

/** A subscription that remit charges a wallet for. */
export interface ChargedSubscription extends RecurringCharge {
  /** The fee balance in the contract, for remit's callers, in protocol units. */
  readonly feeBalance: bigint
}

/**
 * What many charges of a subscription take from the wallet, in raw units, by arithmetic (`decideCharge` makes a single charge).
 *
 * Usually it is a full period. Where the fee balance has run out, a part of the period fills it and the rest goes to the
 * provider. Both transfers are truncated, so together they can be a little less.
 */
export class ChargeAmounts {
  /** One full period. Remit requires it even where it takes less. */
  readonly full: bigint
  readonly #feeBalance: bigint
  /** What one charge pays to the caller of remit, and what one fill adds. As the fee balance, both are in protocol units. */
  readonly #fee: bigint
  readonly #fill: bigint
  /** By how much a period that fills the fee balance is less than a full one, in raw units. */
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
    const count = BigInt(charges)
    const fillCount = this.#fillCountIn(count)
    return {
      taken: count * this.full - fillCount * this.#saved,
      feeBalance: this.#feeBalance + fillCount * this.#fill - count * this.#fee,
    }
  }

  /**
   * How many of so many charges fill the fee balance. Each uses one fee, and one that would leave nothing of the balance fills it. So it
   * is the least number of fills with feeBalance + fills × fill − charges × fee > 0. A fill is never less than the fee (a twelfth of the
   * amount; the fee is 8.33 percent at most). For a tiny amount both are 0: then each charge counts as one that fills.
   */
  #fillCountIn(charges: bigint): bigint {
    const overspent = charges * this.#fee - this.#feeBalance
    if (overspent < 0n) return 0n
    const fewest = this.#fill === 0n ? charges : overspent / this.#fill + 1n
    return fewest < charges ? fewest : charges
  }
}
