import type { Facts } from '../block/facts.ts'
import { SimulateSupport } from '../block/SimulateSupport.ts'
import type { PinnedView } from '../block/simulateBlock.ts'
import { limitFor } from '../proof/gas.ts'
import { type ChainEntry, gasCapOf } from '../registry.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { simulateBatches } from './simulate.ts'
import { isRefusal } from './simulateCalls.ts'
import { executeBatches } from './simulateExecutor.ts'
import { runAlone } from './simulatePartial.ts'
import type { BatchPlan, BatchRun, Runs } from './simulateRun.ts'
import { watchedBy } from './simulateWatched.ts'

/** Runs the batches of plans, by the best method that the chain's nodes have. */
export interface BatchRunner {
  run(view: PinnedView, plan: BatchPlan): Promise<Runs>
}

/**
 * Makes the runner of one chain. It tries eth_simulateV1, then the batch executor in an eth_call, then each
 * call by itself; the last two in one request.
 */
export function createBatchRunner(options: {
  rpc: Rpc
  entry: Pick<ChainEntry, 'contractAddress' | 'txGasCap'>
  facts: Facts
  support?: SimulateSupport
  now?: () => number
}): BatchRunner {
  const { rpc, entry, facts, now, support = new SimulateSupport(now) } = options
  const gasCap = gasCapOf(entry)

  return {
    run: async (view, plan) => {
      if (support.isLacking) return runOtherwise(view, plan)
      const batches = await simulateBatches(rpc, view, plan, gasCap)
      if (!isRefusal(batches)) return { method: 'eth_simulateV1', batches }
      // Any other refusal may be about this one request, which the other methods can still prove.
      if (batches === 'lacking') support.noteLacking()
      return runOtherwise(view, plan)
    },
  }

  async function runOtherwise(view: PinnedView, plan: BatchPlan): Promise<Runs> {
    const watched = await watchedBy(view, plan, entry.contractAddress, facts)
    const [code, executed, alone] = await Promise.all([
      rpc.request('eth_getCode', [plan.from, view.pin], NodeBytes, view),
      executeBatches(rpc, view, plan, watched),
      runAlone(rpc, view, plan, gasCap).catch((error: unknown) => ({ error })),
    ])
    // A wallet with code of its own is not itself with another code laid over it.
    if (code === '0x' && executed !== undefined) {
      const batches = executed.map((run, index) => held(run, 'error' in alone ? undefined : alone[index]))
      return { method: 'eth_call', batches }
    }
    if ('error' in alone) throw alone.error
    return { method: 'partial', batches: alone }
  }

  /** The executor's calls have all the gas of an eth_call: holds them against the chain's cap. */
  function held(run: BatchRun, alone: BatchRun | undefined): BatchRun {
    if (gasCap === undefined || !run.ok) return run
    const callIndex = run.calls.findIndex(({ gas }, index) =>
      // The first call was also made by itself, with exactly the cap.
      index === 0 && alone !== undefined ? !alone.ok && limitFor(gas.peakGas) > gasCap : gas.peakGas > gasCap,
    )
    const over = run.calls[callIndex]
    if (over === undefined) return run
    const failure = { data: '0x', ranOutOfGas: true } as const
    return { ok: false, callIndex, failure, overCap: { gasNeeded: over.gas.peakGas } }
  }
}
