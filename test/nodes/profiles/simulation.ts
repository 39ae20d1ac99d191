import { isHex, numberToHex } from 'viem'
import * as z from 'zod'
import type { Ask, NodeCall, Rule, Said } from './rules.ts'

const SimulatedCall = z.looseObject({ gas: z.string().optional() })
const Block = z.looseObject({
  blockOverrides: z.looseObject({ gasLimit: z.string().optional() }).optional(),
  calls: z.array(SimulatedCall),
})
const Simulation = z.looseObject({ blockStateCalls: z.array(Block) })
const Simulated = z.array(z.looseObject({ calls: z.array(z.looseObject({ gasUsed: z.string() })) }))
type Simulation = z.output<typeof Simulation>

const quantity = (text: string | undefined) => (isHex(text) ? BigInt(text) : undefined)

/** Changes the gas of calls, by the place of each among all of them. */
function withGas(
  simulation: Simulation,
  gasAt: (index: number, asked: bigint | undefined) => bigint,
): Simulation {
  let index = -1
  const blockStateCalls = simulation.blockStateCalls.map((block) => ({
    ...block,
    calls: block.calls.map((call) => {
      index += 1
      return { ...call, gas: numberToHex(gasAt(index, quantity(call.gas))) }
    }),
  }))
  return { ...simulation, blockStateCalls }
}

/**
 * All calls of one eth_simulateV1 share so much gas, as in geth: a call gets what those before it have left, and the
 * one that needs more runs out of gas. Nobody is told.
 */
export function simulationGasUpTo(most: bigint): Rule {
  return {
    async answer(call, ask) {
      if (call.method !== 'eth_simulateV1') return ask(call)
      const [first, ...others] = call.params
      const asked = Simulation.parse(first)
      const askedGas = asked.blockStateCalls.flatMap(({ calls }) =>
        calls.map(({ gas }) => quantity(gas) ?? most),
      )
      const given = askedGas.map((gas) => least(gas, most))
      // What a call has left is known once those before it were run, so it is run again where it was given too much.
      for (;;) {
        const said = await ask({
          ...call,
          params: [withGas(asked, (index) => given[index] ?? 0n), ...others],
        })
        const short = firstShort(said, given, most)
        if (short === undefined) return said
        given[short.index] = short.left
      }
    },
  }
}

/** The first call that was given more gas than those before it have left, and how much that is. */
function firstShort(
  said: Said,
  given: readonly bigint[],
  most: bigint,
): { index: number; left: bigint } | undefined {
  const answer = 'result' in said ? Simulated.safeParse(said.result) : undefined
  if (!answer?.success) return undefined
  let left = most
  for (const [index, { gasUsed }] of answer.data.flatMap(({ calls }) => calls).entries()) {
    const gas = given[index] ?? 0n
    if (gas > left) return { index, left }
    left -= BigInt(gasUsed)
  }
  return undefined
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/**
 * As reth has it up to 1.11 and a little beyond: a simulated block may not be larger than the chain's block or the
 * node's gas cap, its calls may not ask for more gas than it has, and a call that names no gas gets an equal part of
 * what the others leave, up to the cap.
 */
export function rethSimulation(gasCap: bigint): Rule {
  return {
    async answer(call, ask) {
      if (call.method !== 'eth_simulateV1') return ask(call)
      const [first, ...others] = call.params
      const asked = Simulation.parse(first)
      const ownLimit = await blockGas(ask)
      for (const { blockOverrides, calls } of asked.blockStateCalls) {
        const limit = quantity(blockOverrides?.gasLimit) ?? ownLimit
        if (limit > (ownLimit > gasCap ? ownLimit : gasCap)) {
          return { error: { code: -38026, message: 'Client adjustable limit reached' } }
        }
        const named = calls.reduce((sum, { gas }) => sum + (quantity(gas) ?? 0n), 0n)
        if (named > limit) return { error: { code: -38015, message: 'Block gas limit exceeded' } }
      }
      const shares = asked.blockStateCalls.flatMap(({ blockOverrides, calls }) => {
        const limit = quantity(blockOverrides?.gasLimit) ?? ownLimit
        const named = calls.reduce((sum, { gas }) => sum + (quantity(gas) ?? 0n), 0n)
        const unnamed = calls.filter(({ gas }) => gas === undefined).length
        return calls.map(() => (unnamed === 0 ? 0n : least((limit - named) / BigInt(unnamed), gasCap)))
      })
      const filled = withGas(asked, (index, gas) => gas ?? shares[index] ?? 0n)
      return ask({ ...call, params: [filled, ...others] })
    },
  }
}

async function blockGas(ask: Ask): Promise<bigint> {
  const head: NodeCall = { id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] }
  const said = await ask(head)
  return BigInt(z.object({ result: z.object({ gasLimit: z.string() }) }).parse(said).result.gasLimit)
}
