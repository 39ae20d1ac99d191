import { type Address, getAddress, type Hex } from 'viem'
import * as z from 'zod'

/** A quantity in a node's answer. Some nodes pad it with zeros against the specification; the value is the same. */
export const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text))

/** A quantity that is a count, a block number or a time. */
export const SmallQuantity = Quantity.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(
  Number,
)

/** Whole bytes in a node's answer. */
export const NodeBytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`)

export const NodeHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`)

export const NodeAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  // Lower-cased first, because a node may mix the cases as it likes.
  .transform((text): Address => getAddress(text.toLowerCase()))

/** A log as receipts and simulations hold it. */
export const NodeLog = z.object({ address: NodeAddress, topics: z.array(NodeHash).max(4), data: NodeBytes })

/**
 * Fits into a uint8, which viem's decoder does not check. Token decimals are exponents, so a larger one is dangerous.
 *
 * @throws RangeError if it is none that a uint8 could be
 */
export function uint8(value: number): number {
  if (value > 255) throw new RangeError(`the answer has ${value} for a uint8`)
  return value
}
