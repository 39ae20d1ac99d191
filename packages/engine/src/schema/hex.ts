import { type Address as ChecksummedAddress, getAddress, type Hex, isAddress } from 'viem'
import * as z from 'zod'

/**
 * An account or contract address. Inputs may be in one case or checksummed, outputs are checksummed (EIP-55).
 *
 * A mixed-case address with a wrong checksum is refused: it is a typing error, and money would be lost.
 */
export const Address = z.codec(
  z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'),
  z.custom<ChecksummedAddress>(),
  {
    decode: (text, context) => {
      // viem's strict check: an address in one case has no checksum.
      const oneCase = text.slice(2) === text.slice(2).toUpperCase() ? text.toLowerCase() : text
      if (isAddress(oneCase)) return getAddress(oneCase)
      context.issues.push({
        code: 'custom',
        message: 'has a wrong EIP-55 checksum: check it for a typing error, or send it in lower case',
        input: text,
      })
      return z.NEVER
    },
    encode: (address) => getAddress(address),
  },
)

const Bytes32 = z.codec(
  z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'),
  z.custom<Hex>(),
  { decode: (text): Hex => `0x${text.slice(2).toLowerCase()}`, encode: (hash) => hash.toLowerCase() },
)

/** A subscription's id: 32 bytes of lower-case hex on the way out, any case on the way in. */
export const SubscriptionId = Bytes32.describe('Subscription id: 32 bytes as 0x-prefixed hex.')

export const TransactionHash = Bytes32.describe('Transaction hash: 32 bytes as 0x-prefixed hex.')

export const BlockHash = Bytes32.describe('Block hash: 32 bytes as 0x-prefixed hex.')

/** Calldata, revert data: whole bytes of any length. */
export const Bytes = z.codec(z.string().regex(/^0x([0-9a-fA-F]{2})*$/), z.custom<Hex>(), {
  decode: (text): Hex => `0x${text.slice(2).toLowerCase()}`,
  encode: (bytes) => bytes,
})

/** A wallet that is not deployed yet puts its deployment into its signature. */
const MOST_SIGNATURE_BYTES = 16 * 1024

/** A signature of a key, or the bytes that a contract wallet takes for one. */
export const Signature = z.codec(
  z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hex')
    .max(2 + 2 * MOST_SIGNATURE_BYTES, `must have ${MOST_SIGNATURE_BYTES} bytes at most`),
  z.custom<Hex>(),
  { decode: (text): Hex => `0x${text.slice(2).toLowerCase()}`, encode: (bytes) => bytes },
)
