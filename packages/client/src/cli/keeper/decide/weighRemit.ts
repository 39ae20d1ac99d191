import type { Gain, KeeperToken } from '../ports/ports.ts'
import { type Decimal, worthInWei } from './decimal.ts'

/** Ether for one whole token, by the token's address in lower case. */
export type Prices = ReadonlyMap<string, Decimal>

export interface Weighing {
  readonly gains: readonly Gain[]
  /** Tokens that are paid and have no price: they count 0. */
  readonly unpriced: readonly KeeperToken[]
  readonly valueWei: bigint
  readonly costWei: bigint
  /** The value less the cost: negative for a loss. */
  readonly profitWei: bigint
  /** Whether the profit is above the least profit. */
  readonly isWorthwhile: boolean
}

/** Weighs what a remit pays against what it costs. No price is invented: a token without one counts 0. */
export function weighRemit({
  gains,
  prices,
  costWei,
  minProfitWei,
}: {
  readonly gains: readonly Gain[]
  readonly prices: Prices
  readonly costWei: bigint
  readonly minProfitWei: bigint
}): Weighing {
  let valueWei = 0n
  const unpriced: KeeperToken[] = []
  for (const { token, amountRaw } of gains) {
    const price = prices.get(token.address.toLowerCase())
    if (price === undefined || token.decimals === null) unpriced.push(token)
    else valueWei += worthInWei(amountRaw, token.decimals, price)
  }
  const profitWei = valueWei - costWei
  return { gains, unpriced, valueWei, costWei, profitWei, isWorthwhile: profitWei > minProfitWei }
}
