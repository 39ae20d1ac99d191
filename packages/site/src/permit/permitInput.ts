import type { SignedPermit } from '@remit/client'

/** A signed permission as the API takes it. */
export function permitInput({ value, ...signed }: SignedPermit) {
  return { ...signed, ...(value !== undefined && { value: BigInt(value) }) }
}
