import type { Address } from 'viem'
import type { WayOutTrial } from '../core/remit.ts'
import { isNotDue } from '../protocol/remitOutlook.ts'
import { remitCall } from './remitCall.ts'
import type { Rpc } from './rpc.ts'
import type { PinnedView } from './simulateBlock.ts'
import { isRefusal, ranOutOfGas, simulateCalls } from './simulateCalls.ts'
import { REMIT_GAS, STEP_GAS } from './simulationBudget.ts'

/**
 * Tries ways out side by side, each on a state of its own: so many calls of remit(), the way's steps, and remit()
 * once more. One HTTP request. `undefined` where the node will not simulate one of them.
 */
export async function tryWaysOut(
  rpc: Rpc,
  view: PinnedView,
  plan: {
    contract: Address
    caller: Address
    calls: number
    ways: readonly WayOutTrial[]
    gasCap: bigint | undefined
  },
): Promise<readonly boolean[] | undefined> {
  const { contract, caller, calls, ways, gasCap = REMIT_GAS } = plan
  const results = await Promise.all(
    ways.map(async (way) => {
      const answers = await simulateCalls(rpc, view, [
        ...Array.from({ length: calls }, () => remitCall(contract, caller, gasCap)),
        ...way.steps.map((step) => ({ ...step, gas: STEP_GAS })),
        remitCall(contract, way.caller, gasCap),
      ])
      if (isRefusal(answers)) return undefined
      const last = answers.at(-1)
      if (last === undefined || answers.slice(0, -1).some(({ status }) => status !== 1n)) return false
      const failure = { data: last.returnData, ranOutOfGas: ranOutOfGas(last, gasCap) }
      return last.status === 1n || isNotDue(failure)
    }),
  )
  const known = results.filter((result) => result !== undefined)
  return known.length === results.length ? known : undefined
}
