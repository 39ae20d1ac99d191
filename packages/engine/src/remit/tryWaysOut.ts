import { isNotDue } from '@remit/protocol/remit/forecastFromProbe'
import type { Address } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { SimulatedCall } from '../block/simulateV1.ts'
import type { WayOutTrial } from '../ports/remit.ts'
import { simulateInOrder } from '../simulation/simulateInOrder.ts'
import { REMIT_GAS, STEP_GAS } from '../simulation/simulationBudget.ts'
import { remitCall } from './remitCall.ts'

/**
 * Tries ways out of a stalled remit, each on its own state: some calls of remit(), the steps of the way, and remit()
 * again for so many pages. Takes one HTTP request, and some more where the node grants less gas than that. `undefined` if
 * the node cannot simulate one of them, or not to its end.
 */
export async function tryWaysOut(
  blocks: BlockReader,
  view: BlockView,
  plan: {
    contract: Address
    caller: Address
    calls: number
    pages: number
    ways: readonly WayOutTrial[]
    gasCap: bigint | undefined
  },
): Promise<readonly boolean[] | undefined> {
  const { contract, caller, calls, pages, ways, gasCap = REMIT_GAS } = plan
  const remits = (count: number, by: Address) =>
    Array.from({ length: count }, () => remitCall(contract, by, gasCap))
  const results = await Promise.all(
    ways.map(async (way) => {
      const tried = [
        ...remits(calls, caller),
        ...way.steps.map((step) => ({ ...step, gas: STEP_GAS })),
        ...remits(pages, way.caller),
      ]
      const found = await simulateInOrder(blocks, view, tried)
      if (found === undefined || found.cut !== undefined) return undefined
      const { answers } = found
      const isDone = answers.slice(0, -pages).every(({ status }) => status === 1n)
      return isDone && answers.slice(-pages).every(getsOn)
    }),
  )
  const known = results.filter((result) => result !== undefined)
  return known.length === results.length ? known : undefined
}

function getsOn(answer: SimulatedCall): boolean {
  return answer.status === 1n || isNotDue({ data: answer.returnData, ranOutOfGas: false })
}
