import type { PlannedCall } from '../../core/ports/proof.ts'
import type { PinnedView } from '../block/simulateBlock.ts'
import { peakBeforeRefunds } from '../proof/gas.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRefusal, ranOutOfGas, type SimulationRefusal, simulateCalls } from './simulateCalls.ts'
import { transferDeltas } from './simulateDeltas.ts'
import type { BatchFailure, BatchPlan, BatchRun } from './simulateRun.ts'
import { BATCH_GAS } from './simulationBudget.ts'

/**
 * Runs every batch of a plan by eth_simulateV1, side by side: each is one block of calls in order, as one
 * state, on top of the view's block.
 *
 * No call gets more gas than a transaction may have. A second HTTP request where one runs out of it: with exactly
 * the cap, and with all the gas of a block, to learn what it takes.
 * @param gasCap of the chain; `undefined` where it has none
 */
export async function simulateBatches(
  rpc: Rpc,
  view: PinnedView,
  plan: BatchPlan,
  gasCap: bigint | undefined,
): Promise<BatchRun[] | SimulationRefusal> {
  const runs = await Promise.all(
    plan.batches.map((calls) => simulateBatch((gas) => runBatch(rpc, view, plan, calls, gas), calls, gasCap)),
  )
  const batches: BatchRun[] = []
  for (const run of runs) {
    if (isRefusal(run)) return run
    batches.push(run)
  }
  return batches
}

async function simulateBatch(
  run: (gas: bigint | undefined) => Promise<BatchRun | SimulationRefusal>,
  calls: readonly PlannedCall[],
  gasCap: bigint | undefined,
): Promise<BatchRun | SimulationRefusal> {
  const share = gasCap === undefined ? undefined : least(gasCap, BATCH_GAS / BigInt(calls.length))
  const first = await run(share)
  if (isRefusal(first) || first.ok || gasCap === undefined || !first.failure.ranOutOfGas) return first
  const [capped, boundless] = await Promise.all([share === gasCap ? first : run(gasCap), run(undefined)])
  if (!isRefusal(capped) && capped.ok) return capped
  const failed = isRefusal(capped) ? first : capped
  if (isRefusal(boundless)) return overCap(failed)
  if (boundless.ok) return overCap(failed, boundless.calls[failed.callIndex]?.gas.peakGas)
  // With more gas it reverts all the same, and now with its reason.
  return boundless.failure.data === '0x' ? overCap(failed) : boundless
}

function overCap(failed: BatchFailure, gasNeeded?: bigint): BatchFailure {
  return { ...failed, overCap: { gasNeeded } }
}

async function runBatch(
  rpc: Rpc,
  view: PinnedView,
  { from }: BatchPlan,
  batch: readonly PlannedCall[],
  gas: bigint | undefined,
): Promise<BatchRun | SimulationRefusal> {
  const calls = batch.map(({ to, data, value }) => ({
    from,
    to,
    data,
    value,
    ...(gas === undefined ? {} : { gas }),
  }))
  const simulated = await simulateCalls(rpc, view, calls)
  if (isRefusal(simulated)) return simulated
  const callIndex = simulated.findIndex(({ status }) => status !== 1n)
  const failure = simulated[callIndex]
  if (failure !== undefined) {
    const { returnData: data } = failure
    return { ok: false, callIndex, failure: { data, ranOutOfGas: ranOutOfGas(failure, gas) } }
  }
  const runs = simulated.map(({ gasUsed, logs }) => ({
    success: true,
    gasUsed,
    gas: { peakGas: peakBeforeRefunds(gasUsed), source: 'simulated' as const },
    logs: logs ?? [],
  }))
  return { ok: true, calls: runs, deltas: transferDeltas(runs.flatMap(({ logs }) => logs)) }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
