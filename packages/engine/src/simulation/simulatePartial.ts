import type { Address } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { PlannedCall } from '../ports/proof.ts'
import { type BatchFailure, type BatchPlan, type BatchRun, type CallRun, forEachCall } from './batchRun.ts'
import { REFUSED_APPROVAL, refusesApproval } from './callFailure.ts'
import { type CallGas, readEstimate } from './callGas.ts'

/** The gas that is stated for a call whose gas is unknown: more than any single step of a batch was ever seen to take. */
export const HEURISTIC_GAS = 600_000n

/**
 * What one call does alone, on the view's block. `unproven` if it needs more gas than the node grants and may still
 * need less than a transaction may have.
 */
type Alone =
  | Pick<BatchFailure, 'failure' | 'overCap'>
  | { readonly estimate: bigint | undefined }
  | { readonly unproven: true }

/**
 * Runs every call of a plan alone, for nodes that offer no better way.
 *
 * The first call of a batch depends on no other, so its revert is the batch's revert. A later call that reverts alone
 * may succeed after the others. It is skipped and stays unproven.
 */
export async function runAlone(
  blocks: BlockReader,
  view: BlockView,
  plan: BatchPlan,
  gasCap: bigint | undefined,
): Promise<BatchRun[]> {
  const alone = await forEachCall(plan, (call) => runOne(blocks, view, plan.from, call, gasCap))
  return plan.batches.map((batch) => toBatchRun(batch.map((call) => alone(call))))
}

async function runOne(
  blocks: BlockReader,
  view: BlockView,
  from: Address,
  call: PlannedCall,
  gasCap: bigint | undefined,
): Promise<Alone> {
  const { to, data, value } = call
  const request = { from, to, data, value }
  const [answer, estimate] = await Promise.all([
    blocks.call(view, gasCap === undefined ? request : { ...request, gas: gasCap }),
    readEstimate(blocks, view, from, call),
  ])
  if (answer.kind === 'result') {
    return refusesApproval(call, answer.result) ? { failure: REFUSED_APPROVAL } : { estimate }
  }
  if (answer.kind !== 'reverted') throw answer.error
  const failure = { data: answer.data, ranOutOfGas: answer.ranOutOfGas }
  const granted = blocks.preferred.most('callGas')
  const hadLess = granted !== undefined && gasCap !== undefined && BigInt(granted) < gasCap
  if (hadLess && failure.ranOutOfGas && estimate === undefined) return { unproven: true }
  // It succeeds, or may, with more gas than the cap.
  const isOverCap = gasCap !== undefined && (failure.ranOutOfGas || estimate !== undefined)
  return isOverCap ? { failure, overCap: { gasNeeded: estimate } } : { failure }
}

function toBatchRun(alone: readonly (Alone | undefined)[]): BatchRun {
  const [first] = alone
  if (first !== undefined && 'failure' in first) return { ok: false, callIndex: 0, ...first }
  return { ok: true, calls: alone.map(toCallRun), deltas: [] }
}

function toCallRun(alone: Alone | undefined): CallRun {
  if (alone === undefined || 'failure' in alone || 'unproven' in alone) {
    const gas: CallGas = { peakGas: HEURISTIC_GAS, source: 'heuristic' }
    return { success: false, gasUsed: 0n, gas, logs: null }
  }
  const { estimate } = alone
  const gas: CallGas =
    estimate === undefined
      ? { peakGas: HEURISTIC_GAS, source: 'heuristic' }
      : { peakGas: estimate, source: 'estimated' }
  return { success: true, gasUsed: estimate ?? 0n, gas, logs: null }
}
