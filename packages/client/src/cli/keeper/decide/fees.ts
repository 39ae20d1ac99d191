import type { Fees } from '../../../sending/send/Pricing.ts'

/** The limits on a remit's gas cost: even at its highest fee it must leave the least profit. */
interface CostLimits {
  readonly valueWei: bigint
  readonly minProfitWei: bigint
  /** What one call may cost at most, whatever it is worth. */
  readonly maxFeeWei: bigint
  readonly gasLimit: bigint
  /** Paid beside the gas on chains that have it. */
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
  const spendable = least(valueWei - minProfitWei - 1n, maxFeeWei) - l1DataFeeWei
  // Rounded towards the smaller: the division of a negative would round up to 0.
  return spendable < 0n ? -1n : spendable / gasLimit
}

/** The fees to sign with: as suggested, and never above the ceiling. */
export function cappedFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint): Fees {
  const capped = least(maxFeePerGas, ceiling)
  return { maxFeePerGas: capped, maxPriorityFeePerGas: least(maxPriorityFeePerGas, capped) }
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
  const maxFeePerGas = least(most(leastFee, usual.maxFeePerGas), ceiling)
  const wished = most(leastPriority, usual.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: least(wished, maxFeePerGas) }
}

function raised(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
