import * as z from 'zod'
import { Address } from './address.ts'
import { TokenDecimals } from './amount.ts'

/** A token as answers name it. In requests a token is its address alone. */
export const Token = z
  .object({
    address: Address,
    symbol: z.string().nullable().describe('null where the token gives no readable text.'),
    name: z.string().nullable().describe('null where the token gives no readable text.'),
    decimals: TokenDecimals,
  })
  .meta({ id: 'Token' })

export type Token = z.output<typeof Token>
