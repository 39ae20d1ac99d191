import * as z from 'zod'
import { Address } from '../schema/address.ts'
import { TokenDecimals } from '../schema/amount.ts'
import { Uint256 } from '../schema/numbers.ts'

/** A decoded event of a simulated or mined transaction. */
export const EventRow = z
  .object({
    event: z.string().nullable().describe('Its name in the ABI; null where it could not be decoded.'),
    address: Address.describe('The contract that emitted it.'),
    eventName: z.string().optional().describe('For a SubLog: what happened, such as Subscribed.'),
    args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    amount: z.string().optional().describe('The human token amount, where the event states one.'),
    amountRaw: Uint256.optional(),
    tokenDecimals: TokenDecimals.optional(),
  })
  .meta({ id: 'TransactionEvent' })
