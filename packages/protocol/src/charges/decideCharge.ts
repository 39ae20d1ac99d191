import type { RecurringCharge } from '../allowance.ts'
import { toRaw } from '../amounts.ts'
import { feeFill, splitToRaw, subscriptionFee } from '../fees.ts'
import type { SubscriptionTerms } from '../subscription.ts'

/** What a wallet can spend in one token, in raw units; `null` where it is unlimited. */
export interface Means {
  readonly allowance: bigint | null
  readonly balance: bigint | null
}

/** What is missing for a full period, in raw units. */
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
  /** Whether a part of the period fills the fee balance. */
  readonly fills: boolean
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

/** Whether these means are enough for a charge. Remit asks for a full period even where it takes less. */
export function judgeCharge(full: bigint, { allowance, balance }: Means): ChargeVerdict {
  const missing = { allowance: below(allowance, full), balance: below(balance, full) }
  if (missing.allowance === 0n && missing.balance === 0n) return PAYS
  const reason = missing.balance === 0n ? 'allowance' : missing.allowance === 0n ? 'balance' : 'both'
  return { kind: 'fails', reason, missing }
}

/**
 * What remit does with one charge that it reaches (docs/protocol.md).
 *
 * Forecasts of remit, the coverage of a wallet and outlooks all decide here.
 */
export function decideCharge(
  subscription: Pick<SubscriptionTerms, 'amount' | 'frequency'> & { readonly feeBalance: bigint },
  { decimals, callerFee }: { readonly decimals: number; readonly callerFee: bigint },
  means: Means,
): ChargeDecision {
  const { amount, feeBalance } = subscription
  const full = toRaw(amount, decimals)
  const verdict = judgeCharge(full, means)
  if (verdict.kind === 'fails') return { verdict, fills: false, toFeeBalance: 0n, toProvider: 0n, feeBalance }
  const fee = subscriptionFee(amount, callerFee)
  // Strictly more: a fee balance of exactly one fee is filled.
  if (feeBalance > fee) {
    return { verdict, fills: false, toFeeBalance: 0n, toProvider: full, feeBalance: feeBalance - fee }
  }
  const split = feeFill(subscription)
  const { toFeeBalance, toProvider } = splitToRaw(split, decimals)
  return { verdict, fills: true, toFeeBalance, toProvider, feeBalance: feeBalance + split.toFeeBalance - fee }
}

function below(means: bigint | null, full: bigint): bigint {
  return means === null || means >= full ? 0n : full - means
}

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
