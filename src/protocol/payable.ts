import { maxUint256 } from 'viem'
import { PROTOCOL_DECIMALS } from './amounts.ts'

/**
 * The largest amount, in protocol units, that anybody can subscribe to.
 *
 * subscribe multiplies the amount by the caller fee, and for a token of more than 18 decimals by the rest of them.
 * Both are checked: where a product has more than 256 bits, subscribe panics whatever the wallet has. Its other
 * products are smaller (twelve times the amount, and a thousand times), so frequency and due day do not matter.
 * A caller fee that is raised later lowers this by 8 percent at most.
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
