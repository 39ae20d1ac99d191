import { maxUint256 } from 'viem'
import { PROTOCOL_DECIMALS } from './amounts.ts'

/**
 * The largest amount, in protocol units, that anybody can subscribe to.
 *
 * Subscribe multiplies the amount by the caller fee (a factor over 10000) and, for a token with more than 18 decimals, by a power of ten.
 * Where a product has more than 256 bits, subscribe panics. Its other products are smaller, so frequency and due day do
 * not matter. Where the caller fee is raised later, this becomes at most 8 percent lower.
 */
export function largestPayable({
  callerFee,
  decimals,
}: {
  readonly callerFee: bigint
  readonly decimals: number
}): bigint {
  const byFee = maxUint256 / callerFee
  if (decimals <= PROTOCOL_DECIMALS) return byFee
  const byDecimals = maxUint256 / 10n ** BigInt(decimals - PROTOCOL_DECIMALS)
  return byDecimals < byFee ? byDecimals : byFee
}
