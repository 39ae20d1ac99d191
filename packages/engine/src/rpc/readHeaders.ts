import { numberToHex } from 'viem'
import type * as z from 'zod'
import { refusalIn } from './refusal.ts'
import type { OneNode } from './rpc.ts'

/** A node's headers of these numbers, in the order asked for; `undefined` where it has no such block. */
export async function readHeaders<T extends { readonly number: number }>(
  one: OneNode,
  numbers: readonly number[],
  header: z.ZodType<T>,
): Promise<readonly (T | undefined)[]> {
  return Promise.all(
    numbers.map(async (number) => {
      // A header of another number is an answer that does not fit.
      const numbered = header.nullable().refine((found) => found === null || found.number === number)
      try {
        const params = [numberToHex(number), false]
        return (await one.request('eth_getBlockByNumber', params, numbered)) ?? undefined
      } catch (error) {
        // Most nodes answer `null`; some refuse.
        if (refusalIn(error)?.kind === 'unknownBlock') return undefined
        throw error
      }
    }),
  )
}
