import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { RemitRunner } from '@remit/contracts/RemitRunner'
import {
  type CountedRemit,
  NOT_PROBED,
  type ObservedRemit,
  observeRemit,
  type RemitFailure,
  type RemitProbe,
} from '@remit/protocol/remit/observeRemit'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import { peakBeforeRefunds } from '../simulation/callGas.ts'
import { type OrderedCall, type OrderedRun, simulateInOrder } from '../simulation/simulateInOrder.ts'
import { REMIT_GAS } from '../simulation/simulationBudget.ts'

// A probe: the next calls of remit() at a view's block, simulated one after the other until one reverts. By eth_simulateV1 it shows the
// logs of each call, and so who is charged (`probeRemit`). On nodes without that method, a runner contract makes the calls within one
// eth_call, and only their number, days and fees are seen (`runRemits`). remitTrials.ts chooses between the two.

const REMIT_DATA = encodeFunctionData({ abi: ISubscriptions.abi, functionName: 'remit' })

/** A call of remit() for a simulation, with at most so much gas. */
export function remitCall(contract: Address, caller: Address, gas: bigint): OrderedCall {
  return { from: caller, to: contract, data: REMIT_DATA, gas }
}

/** A probe that shows logs. */
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

/**
 * Finds out whether a call that ran out of gas succeeds with more. Where it does, the probe says how much it needs; on a chain without a
 * cap it is no failure at all, and the probe with more gas is the answer.
 */
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

/** The probe that a run shows; `undefined` where a call that succeeded did not log what remit() does. */
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

/** How many calls the runner makes at most: more than most backlogs need. The node's gas cap may end the run before. */
const MOST_CALLS = 64n

/** Gas that is kept for the answer, 64 rows with their balances, if a call uses up all it is given. */
const KEPT_GAS = 2_000_000n

const { abi, deployedBytecode } = RemitRunner

/**
 * Calls remit() in a row within one eth_call, from a runner whose code is laid over the caller's address.
 *
 * This shows how many calls it takes, the days, and what the caller gains, but no logs. `undefined` if the node
 * refuses or ignores overrides.
 */
export async function runRemits(
  blocks: BlockReader,
  view: BlockView,
  plan: { contract: Address; caller: Address; tokens: readonly Address[]; gasCap: bigint | undefined },
): Promise<RemitProbe | undefined> {
  // `capped` is the first call by itself, with no more gas than a transaction may have.
  const [run, capped] = await Promise.all([runMany(blocks, view, plan), runCapped(blocks, view, plan)])
  if (run === undefined || run.calls.length === 0) return run
  // The runner's calls share all gas of an eth_call, so only `capped` shows whether a transaction has enough.
  return capped === undefined ? run : { method: 'eth_call', calls: [], revert: capped }
}

/** Runs as many calls as the node's gas allows. */
async function runMany(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, tokens }: { contract: Address; caller: Address; tokens: readonly Address[] },
): Promise<Extract<RemitProbe, { method: 'eth_call' }> | undefined> {
  const args = [contract, [...tokens], MOST_CALLS, KEPT_GAS] as const
  const data = encodeFunctionData({ abi, functionName: 'run', args })
  const call = { from: caller, to: caller, data }
  const overrides = { code: { [caller]: deployedBytecode }, inNextBlock: view.now }
  const returned = findResult(await blocks.call(view, call, overrides))
  const run = returned && decode(returned)
  if (run === undefined) return undefined
  const [before, steps, reverted, reason] = run
  // There was not gas enough for a single call.
  if (steps.length === 0 && !reverted) return undefined
  const calls = steps.map(({ nextUncheckedDay, balances }, index): CountedRemit => {
    const held = steps[index - 1]?.balances ?? before
    return { nextUncheckedDay: Number(nextUncheckedDay), gained: gainsOf(tokens, held, balances) }
  })
  return { method: 'eth_call', calls, revert: reverted ? { data: reason, ranOutOfGas: false } : undefined }
}

/** How the first call fails with the most gas that a transaction may have; `undefined` if it succeeds. */
async function runCapped(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, gasCap }: { contract: Address; caller: Address; gasCap: bigint | undefined },
): Promise<RemitFailure | undefined> {
  if (gasCap === undefined) return undefined
  const call = { from: caller, to: contract, data: REMIT_DATA }
  const [capped, estimate] = await Promise.all([
    blocks.call(view, { ...call, gas: gasCap }, { inNextBlock: view.now }),
    blocks.estimateGas(view, { ...call, value: 0n }),
  ])
  const gasNeeded = findResult(estimate)
  if (capped.kind === 'unknownBlock') throw capped.error
  // A refusal of the node says nothing about the call.
  if (capped.kind !== 'reverted') return undefined
  // The caller looks at this only where the runner's first call succeeds, with all gas of an eth_call: so what this one lacks is gas.
  return { data: capped.data, ranOutOfGas: true, ...(gasNeeded === undefined ? {} : { gasNeeded }) }
}

/** `undefined` if the answer is not the runner's, because the node did not lay its code there. */
function decode(data: Hex) {
  try {
    return decodeFunctionResult({ abi, functionName: 'run', data })
  } catch {
    return undefined
  }
}

/** What the caller gained of each token, raw units, without those of 0. */
function gainsOf(
  tokens: readonly Address[],
  before: readonly bigint[],
  after: readonly bigint[],
): CountedRemit['gained'] {
  return tokens.flatMap((token, index) => {
    const amountRaw = (after[index] ?? 0n) - (before[index] ?? 0n)
    return amountRaw === 0n ? [] : [{ token, amountRaw }]
  })
}
