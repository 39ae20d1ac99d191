import type { SignedPermit } from '@remit/client'

/** A signed permission as methods of the API client take it: its amount as a bigint. */
export function permitInput({ value, ...signed }: SignedPermit) {
  return { ...signed, ...(value !== undefined && { value: BigInt(value) }) }
}
