import type { PlannedCall } from '../../core/proof.ts'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas } from '../block/simulateV1.ts'
import { peakBeforeRefunds } from './callGas.ts'
import { transferDeltas } from './simulateDeltas.ts'
import type { BatchFailure, BatchPlan, BatchRun } from './simulateRun.ts'
import { BATCH_GAS } from './simulationBudget.ts'

/**
 * Runs every batch of a plan by eth_simulateV1, side by side: each is one block of calls in order, as one
 * state, on top of the view's block.
 *
 * No call gets more gas than a transaction may have. A second HTTP request where one runs out of it: with exactly
 * the cap, and with all the gas of a block, to learn what it takes. `undefined` where the node lacks the method, or
 * will not simulate one of the batches.
 * @param gasCap of the chain; `undefined` where it has none
 */
export async function simulateBatches(
  blocks: BlockReader,
  view: BlockView,
  plan: BatchPlan,
  gasCap: bigint | undefined,
): Promise<BatchRun[] | undefined> {
  const runs = await Promise.all(
    plan.batches.map((calls) =>
      simulateBatch((gas) => runBatch(blocks, view, plan, calls, gas), calls, gasCap),
    ),
  )
  const known = runs.filter((run) => run !== undefined)
  return known.length === runs.length ? known : undefined
}

async function simulateBatch(
  run: (gas: bigint | undefined) => Promise<BatchRun | undefined>,
  calls: readonly PlannedCall[],
  gasCap: bigint | undefined,
): Promise<BatchRun | undefined> {
  const share = gasCap === undefined ? undefined : least(gasCap, BATCH_GAS / BigInt(calls.length))
  const first = await run(share)
  if (first === undefined || first.ok || gasCap === undefined || !first.failure.ranOutOfGas) return first
  const [capped, boundless] = await Promise.all([share === gasCap ? first : run(gasCap), run(undefined)])
  if (capped?.ok) return capped
  const failed = capped ?? first
  if (boundless === undefined) return overCap(failed)
  if (boundless.ok) return overCap(failed, boundless.calls[failed.callIndex]?.gas.peakGas)
  // With more gas it reverts all the same, and now with its reason.
  return boundless.failure.data === '0x' ? overCap(failed) : boundless
}

function overCap(failed: BatchFailure, gasNeeded?: bigint): BatchFailure {
  return { ...failed, overCap: { gasNeeded } }
}

async function runBatch(
  blocks: BlockReader,
  view: BlockView,
  { from }: BatchPlan,
  batch: readonly PlannedCall[],
  gas: bigint | undefined,
): Promise<BatchRun | undefined> {
  const calls = batch.map(({ to, data, value }) => ({
    from,
    to,
    data,
    value,
    ...(gas === undefined ? {} : { gas }),
  }))
  const simulated = findResult(await blocks.simulate(view, calls))
  if (simulated === undefined) return undefined
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
