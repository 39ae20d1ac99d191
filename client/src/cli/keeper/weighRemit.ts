import type { Address } from 'viem'
import { type Decimal, worthInWei } from './decimal.ts'

/** A token as the keeper counts in it. */
export interface KeeperToken {
  readonly address: Address
  readonly symbol: string | null
  readonly decimals: number
}

/** What a remit pays its caller in one token, in that token's smallest unit; more than 0. */
export interface Gain {
  readonly token: KeeperToken
  readonly amountRaw: bigint
}

/** A balance that the proven simulation saw change. */
export interface BalanceChange extends Gain {
  readonly account: Address
}

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
  /** Whether the profit is more than what it has to be. */
  readonly isWorthwhile: boolean
}

/** What a caller gains by a remit: its own positive balance changes, a token once. */
export function gainsOf(changes: readonly BalanceChange[], caller: Address): Gain[] {
  const gains = new Map<string, Gain>()
  for (const { account, token, amountRaw } of changes) {
    if (!isSame(account, caller) || amountRaw <= 0n) continue
    const key = token.address.toLowerCase()
    gains.set(key, { token, amountRaw: amountRaw + (gains.get(key)?.amountRaw ?? 0n) })
  }
  return [...gains.values()]
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
    if (price === undefined) unpriced.push(token)
    else valueWei += worthInWei(amountRaw, token.decimals, price)
  }
  const profitWei = valueWei - costWei
  return { gains, unpriced, valueWei, costWei, profitWei, isWorthwhile: profitWei > minProfitWei }
}

export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
