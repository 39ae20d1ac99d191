import * as z from 'zod'
import { Address } from './hex.ts'
import { Int256 } from './numbers.ts'

/**
 * A human token amount in a request: a plain decimal string, such as "10" or "10.5".
 *
 * Only the form is checked here. Code that knows the token checks the number of decimals.
 */
export const HumanAmount = z
  .string()
  .max(160)
  .regex(/^(0|[1-9]\d{0,77})(\.\d{1,77})?$/, 'must be a plain decimal number such as "10" or "10.5"')
  .describe('Human token amount as a decimal string, such as "10.5"; never in the smallest unit.')

export const TokenDecimals = z
  .int()
  .min(0)
  .max(255)
  .describe("Decimals that the contract uses for the token: the contract's own entry.")

/**
 * An amount in a token's smallest unit: a decimal string on the wire, a bigint inside. Anybody can create a subscription of
 * 2^256 - 1 protocol units, which have 18 decimals: 78 digits, and in a token of 255 decimals 237 more.
 */
export const RawAmount = z.codec(z.string().regex(/^(0|[1-9]\d{0,314})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
})

const triple = {
  amount: z.string().describe('Exact human amount: no exponent, no trailing zeros.'),
  amountRaw: RawAmount.describe("The same amount in the token's smallest unit."),
  tokenDecimals: TokenDecimals,
}

/** The three fields that state a token amount in a row. */
export const amountFields = triple

/** A named token amount. */
export const Quantity = z.object(triple).meta({ id: 'Quantity' })

/** A token amount that can be a loss. */
export const SignedQuantity = z.object({
  ...triple,
  amountRaw: Int256.describe("The same amount in the token's smallest unit; negative for a loss."),
})

export type Quantity = z.output<typeof Quantity>

/** The fee balance of one subscriber, as rows state it. */
export const feeBalanceFields = {
  feeBalance: Quantity.describe('What the contract holds for this subscriber to pay remit’s callers.'),
  feeBalanceRaw: triple.amountRaw.describe('Same as `feeBalance.amountRaw`.'),
  tokenDecimals: TokenDecimals,
}

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
