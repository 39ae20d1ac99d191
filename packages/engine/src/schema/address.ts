import { type Address as ChecksummedAddress, getAddress, isAddress } from 'viem'
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
