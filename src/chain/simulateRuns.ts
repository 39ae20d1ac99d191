import type { Facts } from './facts.ts'
import { NodeBytes } from './quantity.ts'
import type { ChainEntry } from './registry.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from './rpc.ts'
import { SimulateSupport } from './SimulateSupport.ts'
import { simulateBatches } from './simulate.ts'
import type { PinnedView } from './simulateBlock.ts'
import { executeBatches } from './simulateExecutor.ts'
import { runAlone } from './simulatePartial.ts'
import type { BatchPlan, Runs } from './simulateRun.ts'
import { watchedBy } from './simulateWatched.ts'

const LACKING_CODES = new Set([-32601, -32004])
const LACKING =
  /(method|eth_simulatev1).{0,80}(not (found|supported|available|exist|implemented|enabled|allowed|whitelisted)|unknown|disabled)|unsupported method|unknown method/i

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
  entry: Pick<ChainEntry, 'contractAddress'>
  facts: Facts
  support?: SimulateSupport
  now?: () => number
}): BatchRunner {
  const { rpc, entry, facts, now, support = new SimulateSupport(now) } = options

  return {
    run: async (view, plan) => {
      if (support.isLacking) return runOtherwise(view, plan)
      try {
        return { method: 'eth_simulateV1', batches: await simulateBatches(rpc, view, plan) }
      } catch (error) {
        if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) throw error
        // Any other refusal may be about this one request, which the other methods can still prove.
        if (lacksMethod(error)) support.noteLacking()
        return runOtherwise(view, plan)
      }
    },
  }

  async function runOtherwise(view: PinnedView, plan: BatchPlan): Promise<Runs> {
    const watched = await watchedBy(view, plan, entry.contractAddress, facts)
    const [code, executed, alone] = await Promise.all([
      rpc.request('eth_getCode', [plan.from, view.pin], NodeBytes, view),
      executeBatches(rpc, view, plan, watched),
      runAlone(rpc, view, plan).catch((error: unknown) => ({ error })),
    ])
    // A wallet with code of its own is not itself with another code laid over it.
    if (code === '0x' && executed !== undefined) return { method: 'eth_call', batches: executed }
    if ('error' in alone) throw alone.error
    return { method: 'partial', batches: alone }
  }
}

/** Whether a node said that it does not have the method, rather than that it will not do this one thing. */
export function lacksMethod({ code, message }: RpcResponseError): boolean {
  return LACKING_CODES.has(code) || LACKING.test(message)
}
