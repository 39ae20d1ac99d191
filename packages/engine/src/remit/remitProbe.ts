import {
  NOT_PROBED,
  type ObservedRemit,
  observeRemit,
  type RemitFailure,
  type RemitProbe,
} from '@remit/protocol/remit/observeRemit'
import type { Address } from 'viem'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import { peakBeforeRefunds } from '../simulation/callGas.ts'
import { type OrderedRun, simulateInOrder } from '../simulation/simulateInOrder.ts'
import { REMIT_GAS } from '../simulation/simulationBudget.ts'
import { remitCall } from './remitCall.ts'

type SeenProbe = Extract<RemitProbe, { method: 'eth_simulateV1' }>

/**
 * Calls remit() some times in a row on top of a view's block, by eth_simulateV1, each call with the most gas that
 * a transaction may have.
 *
 * Takes one HTTP request, and more where
 * - the node grants less gas than the calls ask for together: the probe may be `cut` then (`simulateInOrder`)
 * - the node refuses so many calls: one call alone is tried
 * - a call used up its gas: it is run again with all the gas of a block
 */
export async function probeRemit(
  blocks: BlockReader,
  view: BlockView,
  plan: { contract: Address; caller: Address; calls: number; gasCap: bigint | undefined },
): Promise<RemitProbe> {
  const { contract, caller, calls, gasCap } = plan
  const call = remitCall(contract, caller, gasCap ?? REMIT_GAS)
  const run = async (count: number) => {
    const list = Array.from({ length: count }, () => call)
    const found = await simulateInOrder(blocks, view, list, ({ status }) => status !== 1n)
    return found && toProbe(found, contract)
  }
  const seen = (await run(calls)) ?? (await run(1))
  if (seen === undefined) return NOT_PROBED
  const { probe } = seen
  // Not even one call fits.
  if (probe.cut !== undefined && probe.calls.length === 0) return { ...NOT_PROBED, cut: probe.cut }
  if (probe.revert?.ranOutOfGas !== true) return probe
  return withMoreGas(blocks, view, seen, { call, contract, gasCap })
}

interface Simulated extends OrderedRun {
  readonly probe: SeenProbe
}

/** Finds out whether a call that ran out of gas succeeds with more. */
async function withMoreGas(
  blocks: BlockReader,
  view: BlockView,
  { probe, gasGiven }: Simulated,
  { call, contract, gasCap }: { call: SimulationCall; contract: Address; gasCap: bigint | undefined },
): Promise<SeenProbe> {
  const { gas: _, ...callWithoutLimit } = call
  const before = gasGiven.slice(0, probe.calls.length).map((gas) => ({ ...call, gas }))
  const answers = findResult(await blocks.simulate(view, [...before, callWithoutLimit]))
  const more = answers && toProbe({ answers, gasGiven: before.map(({ gas }) => gas) }, contract)
  if (more === undefined || more.probe.calls.length <= probe.calls.length) return probe
  // The chain has no cap, so only REMIT_GAS was too low.
  if (gasCap === undefined || probe.revert === undefined) return more.probe
  const gasNeeded = peakBeforeRefunds(answers?.at(-1)?.gasUsed ?? 0n)
  return { ...probe, revert: { ...probe.revert, gasNeeded } }
}

/** `undefined` where a call that succeeded did not do what remit() does. */
function toProbe(found: OrderedRun, contract: Address): Simulated | undefined {
  const { answers, gasGiven, cut } = found
  const calls: ObservedRemit[] = []
  const method = 'eth_simulateV1' as const
  for (const [index, call] of answers.entries()) {
    if (call.status !== 1n)
      return { ...found, probe: { method, calls, revert: revertOf(call, gasGiven[index]) } }
    const observed = observeRemit(call.logs ?? [], contract)
    // It is another contract than the protocol's.
    if (observed === undefined) return undefined
    calls.push(observed)
  }
  return { ...found, probe: { method, calls, revert: undefined, ...(cut && { cut }) } }
}

function revertOf(call: SimulatedCall, gas: bigint | undefined): RemitFailure {
  return { data: call.returnData, ranOutOfGas: ranOutOfGas(call, gas) }
}
