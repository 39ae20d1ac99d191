import type { DropReason } from './Payment.ts'

/**
 * Why remit dropped a subscriber, by what it had when its turn came. The contract logs all reasons alike.
 *
 * @param had in the token's smallest unit
 * @param period one full period, in the same unit
 * @returns `unknown` where neither was short: then something else in the same block has changed it
 */
export function dropReason(
  had: { readonly balance: bigint; readonly allowance: bigint },
  period: bigint,
): DropReason {
  const lacksBalance = had.balance < period
  const lacksAllowance = had.allowance < period
  if (lacksBalance && lacksAllowance) return 'both'
  if (lacksBalance) return 'balance'
  return lacksAllowance ? 'allowance' : 'unknown'
}
