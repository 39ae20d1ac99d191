import { hexToBigInt, isHex } from 'viem'
import * as z from 'zod'
import type { Faults } from './countingProxy.ts'

const Hex = z.string().refine(isHex)
const Simulation = z.object({
  blockStateCalls: z.array(z.object({ calls: z.array(z.object({ gas: Hex.optional() })) })),
})

/** What calls without gas ask for: all that a block has. */
const WHOLE_BLOCK = 10n ** 9n

/**
 * A node that refuses an eth_simulateV1 whose calls ask for more gas together than it grants, as reth does.
 * @param asked is filled with what each simulation asks for
 */
export function gasBudget(
  granted: bigint,
  options: { refusal?: { code: number; message: string }; asked?: bigint[] } = {},
): Faults {
  const { refusal = { code: -38026, message: 'Client adjustable limit reached' }, asked = [] } = options
  return {
    answer: ({ method, params }) => {
      if (method !== 'eth_simulateV1') return undefined
      const [{ calls } = { calls: [] }] = Simulation.parse(params[0]).blockStateCalls
      const gas = calls.reduce((sum, call) => sum + (call.gas ? hexToBigInt(call.gas) : WHOLE_BLOCK), 0n)
      asked.push(gas)
      return gas > granted ? { error: refusal } : undefined
    },
  }
}
