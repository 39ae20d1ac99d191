import type { Address } from 'viem'
import {
  NOT_PROBED,
  type ObservedRemit,
  observeRemit,
  type RemitFailure,
  type RemitProbe,
} from '../../protocol/remit/observeRemit.ts'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import { peakBeforeRefunds } from '../simulation/callGas.ts'
import { REMIT_GAS } from '../simulation/simulationBudget.ts'
import { remitCall } from './remitCall.ts'

type SeenProbe = Extract<RemitProbe, { method: 'eth_simulateV1' }>

/**
 * Calls remit() some times in a row on top of a view's block, by eth_simulateV1, each call with the most gas that
 * a transaction may have.
 *
 * Takes one HTTP request. A second one follows if the node refuses so many calls: one call alone. Another one follows
 * if a call used up its gas: that call is made again with all the gas of a block.
 */
export async function probeRemit(
  blocks: BlockReader,
  view: BlockView,
  plan: { contract: Address; caller: Address; calls: number; gasCap: bigint | undefined },
): Promise<RemitProbe> {
  const { contract, caller, calls, gasCap } = plan
  const call = remitCall(contract, caller, gasCap ?? REMIT_GAS)
  const simulate = async (list: readonly SimulationCall[]) => {
    const simulated = findResult(await blocks.simulate(view, list))
    return simulated && toProbe(list, simulated, contract)
  }
  const seen = (await simulate(Array.from({ length: calls }, () => call))) ?? (await simulate([call]))
  if (seen === undefined) return NOT_PROBED
  if (seen.probe.revert?.ranOutOfGas !== true) return seen.probe
  return withMoreGas(seen.probe, call, gasCap, simulate)
}

interface Simulated {
  readonly probe: SeenProbe
  readonly gasUsed: readonly bigint[]
}

/** Finds out whether a call that ran out of gas succeeds with more. */
async function withMoreGas(
  probe: SeenProbe,
  call: SimulationCall,
  gasCap: bigint | undefined,
  simulate: (calls: readonly SimulationCall[]) => Promise<Simulated | undefined>,
): Promise<SeenProbe> {
  const { gas: _, ...boundless } = call
  const more = await simulate([...probe.calls.map(() => call), boundless])
  if (more === undefined || more.probe.calls.length <= probe.calls.length) return probe
  // The chain has no cap, so only REMIT_GAS was too low.
  if (gasCap === undefined || probe.revert === undefined) return more.probe
  const gasNeeded = peakBeforeRefunds(more.gasUsed.at(-1) ?? 0n)
  return { ...probe, revert: { ...probe.revert, gasNeeded } }
}

/** `undefined` where a call that succeeded did not do what remit() does. */
function toProbe(
  asked: readonly SimulationCall[],
  simulated: readonly SimulatedCall[],
  contract: Address,
): Simulated | undefined {
  const calls: ObservedRemit[] = []
  const gasUsed = simulated.map((call) => call.gasUsed)
  for (const [index, call] of simulated.entries()) {
    if (call.status !== 1n) {
      return {
        probe: { method: 'eth_simulateV1', calls, revert: revertOf(call, asked[index]?.gas) },
        gasUsed,
      }
    }
    const observed = observeRemit(call.logs ?? [], contract)
    // This is not the protocol's contract. The proof will say so.
    if (observed === undefined) return undefined
    calls.push(observed)
  }
  return { probe: { method: 'eth_simulateV1', calls, revert: undefined }, gasUsed }
}

function revertOf(call: SimulatedCall, gas: bigint | undefined): RemitFailure {
  return { data: call.returnData, ranOutOfGas: ranOutOfGas(call, gas) }
}
