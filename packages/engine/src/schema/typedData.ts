import * as z from 'zod'
import { Address } from './address.ts'
import { ChainId } from './chainId.ts'
import { Bytes } from './hash.ts'

/** One field of a type of EIP-712. */
export const TypedField = z.object({ name: z.string(), type: z.string() })

/** The domain of what is signed to a token. */
export const TypedDomain = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  chainId: ChainId.optional(),
  verifyingContract: Address,
  salt: Bytes.optional(),
})
