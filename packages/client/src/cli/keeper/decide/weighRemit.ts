/**
 * The arithmetic of a keeper: what a call pays against what it costs (`weighRemit`), how much gas may cost (`feeCeiling` and the fees to
 * sign with), ether as a decimal text, and how all of it is said.
 */

import { formatUnits } from 'viem'
import type { Fees } from '../../../sending/send/lastLook.ts'
import { describeGains, factsOfGains } from '../journal.ts'
import type { Fact, Gain, KeeperToken } from '../ports.ts'

/** Ether for one whole token, by the token's address in lower case. */
export type Prices = ReadonlyMap<string, Decimal>

/** What a call pays and costs. */
export interface Weighing {
  readonly gains: readonly Gain[]
  /** Tokens that are paid and have no price: they count 0. */
  readonly unpriced: readonly KeeperToken[]
  /** What the gains are worth, by the owner's prices. */
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

/** The limits on a remit's gas cost: even at its highest fee it must leave the least profit. */
interface CostLimits {
  readonly valueWei: bigint
  readonly minProfitWei: bigint
  /** What one call may cost at most, whatever it is worth. */
  readonly maxFeeWei: bigint
  readonly gasLimit: bigint
  /** What a rollup takes for the transaction's bytes on L1, beside the gas; else 0. */
  readonly l1DataFeeWei: bigint
}

/**
 * The highest fee per gas at which the whole gas limit stays within the most that a call may cost, and still leaves
 * more than the least profit; may be negative.
 */
export function feeCeiling({
  valueWei,
  minProfitWei,
  maxFeeWei,
  gasLimit,
  l1DataFeeWei,
}: CostLimits): bigint {
  const spendable = smallerOf(valueWei - minProfitWei - 1n, maxFeeWei) - l1DataFeeWei
  // Rounded down: bigint division would round a negative up to 0.
  return spendable < 0n ? -1n : spendable / gasLimit
}

/** The fees to sign with: as suggested, and never above the ceiling. */
export function cappedFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint): Fees {
  const capped = smallerOf(maxFeePerGas, ceiling)
  return { maxFeePerGas: capped, maxPriorityFeePerGas: smallerOf(maxPriorityFeePerGas, capped) }
}

/**
 * Fees that replace a transaction which nobody mines: both raised by an eighth at least (nodes ask for a tenth),
 * to what is usual now where that is more. `undefined` where the ceiling leaves no room for it.
 */
export function raisedFees({
  sent,
  usual,
  ceiling,
}: {
  readonly sent: Fees
  readonly usual: Fees
  readonly ceiling: bigint
}): Fees | undefined {
  const leastFee = raised(sent.maxFeePerGas)
  const leastPriority = raised(sent.maxPriorityFeePerGas)
  if (leastFee > ceiling || leastPriority > ceiling) return undefined
  const maxFeePerGas = smallerOf(largerOf(leastFee, usual.maxFeePerGas), ceiling)
  const wished = largerOf(leastPriority, usual.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: smallerOf(wished, maxFeePerGas) }
}

/** By an eighth, rounded up. */
function raised(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n
}

function smallerOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function largerOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** A decimal number without loss: `digits` / 10 ** `scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const WEI_SCALE = 18

/** Reads "0.0004", "12" or "-0.001"; `undefined` for anything else: no exponents, no separators. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = ''] = match
  const size = BigInt(whole + fraction)
  return { digits: sign === '' ? size : -size, scale: fraction.length }
}

/** An amount of ether in wei; `undefined` where it is finer than a wei. */
export function toWei({ digits, scale }: Decimal): bigint | undefined {
  if (scale <= WEI_SCALE) return digits * 10n ** BigInt(WEI_SCALE - scale)
  const unit = 10n ** BigInt(scale - WEI_SCALE)
  return digits % unit === 0n ? digits / unit : undefined
}

/**
 * What an amount of a token is worth in wei, rounded down.
 * @param amountRaw in the token's smallest unit, not negative
 * @param price ether for one whole token
 */
function worthInWei(amountRaw: bigint, decimals: number, price: Decimal): bigint {
  return (amountRaw * price.digits * 10n ** BigInt(WEI_SCALE)) / 10n ** BigInt(decimals + price.scale)
}

/**
 * What a remit pays and costs, for people.
 * @param expectedTransactions how many transactions the backlog takes, as the service says, including this one
 * @param isForecast whether only the service says what it pays
 */
export function describeWeighing(
  { gains, valueWei, costWei, profitWei }: Weighing,
  { expectedTransactions, isForecast }: { expectedTransactions: number; isForecast: boolean },
): string {
  const source = isForecast ? 'by the service’s word it pays' : 'it pays'
  const balance = balanceOf(profitWei)
  const place =
    expectedTransactions > 1 ? `, the first of ${expectedTransactions} that the backlog takes` : ''
  return `${source} ${describeGains(gains)}, worth ${eth(valueWei)}, and costs ${eth(costWei)}: ${balance}${place}`
}

/** What carrying a permission brings and costs, for people. */
export function describeCarry({ gains, valueWei, costWei, profitWei }: Weighing): string {
  return (
    `it saves a charge whose fee is ${describeGains(gains)}, worth ${eth(valueWei)}, and costs ${eth(costWei)}: ` +
    balanceOf(profitWei)
  )
}

function balanceOf(profitWei: bigint): string {
  return profitWei < 0n ? `a loss of ${eth(-profitWei)}` : `a profit of ${eth(profitWei)}`
}

/** What a weighing says, for programs. */
export function factsOf({ gains, valueWei, costWei, profitWei }: Weighing): Record<string, Fact> {
  return { valueWei, costWei, profitWei, gains: factsOfGains(gains) }
}

export function eth(wei: bigint): string {
  return `${formatUnits(wei, 18)} ETH`
}
