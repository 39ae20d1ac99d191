import { numberToHex } from 'viem'
import * as z from 'zod'
import type { PlannedCall } from '../core/proof.ts'
import { peakBeforeRefunds } from './gas.ts'
import { NodeBytes, NodeLog, Quantity } from './quantity.ts'
import type { Rpc } from './rpc.ts'
import { nextBlock, type PinnedView } from './simulateBlock.ts'
import { transferDeltas } from './simulateDeltas.ts'
import { saysOutOfGas } from './simulateReverts.ts'
import type { BatchPlan, BatchRun } from './simulateRun.ts'

const SimulatedCall = z.object({
  status: Quantity,
  gasUsed: Quantity,
  returnData: NodeBytes,
  logs: z.array(NodeLog).nullish(),
  error: z.object({ message: z.string() }).nullish(),
})

/** eth_simulateV1 over one block of calls. */
export const SimulatedBlock = z.tuple([z.object({ calls: z.array(SimulatedCall) })])

/**
 * Runs every batch of a plan by eth_simulateV1, side by side: each is one block of calls in order, as one
 * state, on top of the view's block.
 *
 * Validation is off, so that a wallet without gas money still learns whether the batch would succeed.
 */
export function simulateBatches(rpc: Rpc, view: PinnedView, plan: BatchPlan): Promise<BatchRun[]> {
  return Promise.all(plan.batches.map((calls) => simulateBatch(rpc, view, plan, calls)))
}

async function simulateBatch(
  rpc: Rpc,
  view: PinnedView,
  { from }: BatchPlan,
  calls: readonly PlannedCall[],
): Promise<BatchRun> {
  const block = {
    blockOverrides: nextBlock(view),
    calls: calls.map(({ to, data, value }) => ({ from, to, data, value: numberToHex(value) })),
  }
  const request = { blockStateCalls: [block], validation: false, traceTransfers: false }
  const ofThisBatch = SimulatedBlock.refine(([{ calls: answered }]) => answered.length === calls.length)
  const [simulated] = await rpc.request('eth_simulateV1', [request, view.pin], ofThisBatch, view)
  const failed = simulated.calls.findIndex(({ status }) => status !== 1n)
  const failure = simulated.calls[failed]
  if (failure !== undefined) {
    const { returnData: data, error } = failure
    return { ok: false, callIndex: failed, failure: { data, ranOutOfGas: ranOutOfGas(data, error?.message) } }
  }
  const runs = simulated.calls.map(({ gasUsed, logs }) => ({
    success: true,
    gasUsed,
    gas: { peakGas: peakBeforeRefunds(gasUsed), source: 'simulated' as const },
    logs: logs ?? [],
  }))
  return { ok: true, calls: runs, deltas: transferDeltas(runs.flatMap(({ logs }) => logs)) }
}

// A token may revert with any text, "out of gas" too: data means that it was a revert.
function ranOutOfGas(data: string, message: string | undefined): boolean {
  return data === '0x' && saysOutOfGas(message)
}
