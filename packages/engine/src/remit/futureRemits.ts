import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { isNotDue } from '@remit/protocol/remit/forecastFromProbe'
import { observeCharges, observeRemit } from '@remit/protocol/remit/observeRemit'
import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall } from '../block/simulateV1.ts'
import { SimulationUnsupportedError, UpstreamError } from '../errors/chain.ts'
import type { FutureRemits } from '../ports/remit.ts'
import { BATCH_GAS, deeplyProbedCalls, REMIT_GAS } from '../simulation/simulationBudget.ts'
import { remitCall } from './remitProbe.ts'

/** Gas of the view after the calls. It takes a few thousand. */
const VIEW_GAS = 200_000n

const abi = ISubscriptions.abi
const NEXT_DAY = encodeFunctionData({ abi, functionName: 'nextUncheckedDay' })

/** How many calls are asked for, and with how much gas. */
interface Attempt {
  readonly calls: number
  /** The gas limit of each call. */
  readonly gas: bigint
}

/**
 * Calls remit() in a row on top of a view's block, as if it were a later day, and reads the contract's next unchecked day
 * after that.
 *
 * One HTTP request does it if the node gives that much gas. Some nodes refuse by the gas that the calls ask for. Those are
 * asked for fewer calls, because no later request could begin where this one ended. The answer with the most calls counts.
 *
 * Throws SimulationUnsupportedError if no node has eth_simulateV1.
 * @param plan.dayNumber from the view's day on
 * @param plan.maxRemits of the contract
 * @param plan.gasCap the most gas of one transaction; `undefined` where the chain has no such cap
 */
export async function runFutureRemits(
  blocks: BlockReader,
  view: BlockView,
  plan: {
    contract: Address
    caller: Address
    dayNumber: number
    maxRemits: number
    gasCap: bigint | undefined
  },
): Promise<FutureRemits> {
  const { gasCap = REMIT_GAS, maxRemits } = plan
  const atMostCap = (gas: bigint) => (gas < gasCap ? gas : gasCap)
  // From the most calls that one answer can hold, to fewer for nodes that grant less gas.
  const attempts: readonly Attempt[] = [
    { calls: deeplyProbedCalls(maxRemits), gas: gasCap },
    { calls: 16, gas: atMostCap(BATCH_GAS / 16n) },
    { calls: 4, gas: atMostCap(BATCH_GAS / 4n) },
    { calls: 1, gas: gasCap },
  ]
  let best: FutureRemits | undefined
  let refusal: unknown
  for (const attempt of attempts) {
    // Fewer calls with more gas each get further only if one of the calls before ran out of gas.
    if (best !== undefined && (best.end !== 'gas' || best.calls.length >= attempt.calls)) break
    const asked = await runAttempt(blocks, view, plan, attempt)
    if ('remits' in asked) best = better(best, asked.remits)
    else if (asked.lacksMethod) throw new SimulationUnsupportedError(blocks.chainId, { cause: asked.error })
    else refusal = asked.error
  }
  if (best === undefined) throw new UpstreamError(blocks.chainId, { cause: refusal })
  return best
}

function better(one: FutureRemits | undefined, other: FutureRemits): FutureRemits {
  return one !== undefined && one.calls.length > other.calls.length ? one : other
}

/** One request: some calls of remit(), and the view after them. */
async function runAttempt(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, dayNumber }: { contract: Address; caller: Address; dayNumber: number },
  { calls, gas }: Attempt,
): Promise<{ remits: FutureRemits } | { lacksMethod: boolean; error: unknown }> {
  const now = Math.max(view.now, dayNumber * SECONDS_PER_DAY)
  const remits = Array.from({ length: calls }, () => remitCall(contract, caller, gas))
  const asked = { from: caller, to: contract, data: NEXT_DAY, gas: VIEW_GAS }
  const answer = await blocks.simulate({ ...view, now }, [...remits, asked])
  if (answer.kind === 'unknownBlock') throw answer.error
  if (answer.kind === 'refused') return { lacksMethod: answer.lacksMethod, error: answer.error }
  if (answer.kind !== 'result') return { lacksMethod: false, error: answer.error }
  const nextUncheckedDay = readNextDay(answer.result.at(-1))
  if (nextUncheckedDay === undefined)
    return { lacksMethod: false, error: new Error('the view after it failed') }
  return { remits: toRemits(answer.result.slice(0, -1), { contract, gas, nextUncheckedDay }) }
}

function readNextDay(view: SimulatedCall | undefined): number | undefined {
  if (view?.status !== 1n) return undefined
  try {
    return decodeFunctionResult({ abi, functionName: 'nextUncheckedDay', data: view.returnData })
  } catch {
    return undefined
  }
}

function toRemits(
  simulated: readonly SimulatedCall[],
  { contract, gas, nextUncheckedDay }: { contract: Address; gas: bigint; nextUncheckedDay: number },
): FutureRemits {
  const calls: FutureRemits['calls'][number][] = []
  for (const call of simulated) {
    const logs = call.logs ?? []
    const observed = call.status === 1n ? observeRemit(logs, contract) : undefined
    if (observed === undefined) {
      const revert = { data: call.returnData, ranOutOfGas: ranOutOfGas(call, gas) }
      // A node may also share its gas among all calls. Then this one ran out of what the others had left.
      if (revert.ranOutOfGas) return { calls, nextUncheckedDay, end: 'gas', revert }
      return { calls, nextUncheckedDay, end: isNotDue(revert) ? 'done' : 'reverted', revert }
    }
    const { dayNumber, emptyDays, finished, fees } = observed
    const charges = observeCharges(logs, contract)
    calls.push({ dayNumber, emptyDays, finished, fees, charges, gasUsed: call.gasUsed })
  }
  return { calls, nextUncheckedDay, end: 'calls', revert: undefined }
}
