import type { SignedPermit } from '@remit/client'

/** What a signature allows, in the token's smallest unit. DAI's own form names no amount: it allows everything, or nothing. */
export function signedRaw({ value, allowed }: Pick<SignedPermit, 'value' | 'allowed'>): bigint {
  if (value !== undefined) return BigInt(value)
  return allowed === false ? 0n : 2n ** 256n - 1n
}
