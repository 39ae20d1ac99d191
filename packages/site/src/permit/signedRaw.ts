import type { SignedPermit } from '@remit/client'

/** The amount that a signed permission allows, in the token's smallest unit. DAI's own form names none: all, or nothing. */
export function signedRaw({ value, allowed }: Pick<SignedPermit, 'value' | 'allowed'>): bigint {
  if (value !== undefined) return BigInt(value)
  return allowed === false ? 0n : 2n ** 256n - 1n
}
