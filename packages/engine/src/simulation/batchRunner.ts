import { type Hex, size } from 'viem'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { Facts } from '../block/facts.ts'
import { type ChainEntry, gasCapOf } from '../chain/registry.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import type { BatchPlan, BatchRun, BatchRuns } from './batchRun.ts'
import { refusesApproval } from './callFailure.ts'
import { limitFor } from './callGas.ts'
import { simulateBatches } from './simulateBatches.ts'
import { executeBatches } from './simulateExecutor.ts'
import { runAlone } from './simulatePartial.ts'
import { watchedBy } from './simulateWatched.ts'

/** Runs the batches of a plan, by the best method that the chain's nodes have. */
export interface BatchRunner {
  run(view: BlockView, plan: BatchPlan): Promise<BatchRuns>
}

/**
 * Makes the runner of one chain. It tries eth_simulateV1, then the batch executor in an eth_call, then each
 * call alone. The last two share one HTTP request.
 */
export function createBatchRunner(options: {
  blocks: BlockReader
  entry: Pick<ChainEntry, 'contractAddress' | 'txGasCap'>
  facts: Facts
}): BatchRunner {
  const { blocks, entry, facts } = options
  const gasCap = gasCapOf(entry)

  return {
    run: async (view, plan) => {
      const batches = await simulateBatches(blocks, view, plan, gasCap)
      // The node may refuse only this request, and the other methods can still prove it.
      return batches === undefined ? runOtherwise(view, plan) : { method: 'eth_simulateV1', batches }
    },
  }

  /** By the executor, or else each call alone. */
  async function runOtherwise(view: BlockView, plan: BatchPlan): Promise<BatchRuns> {
    const watched = await watchedBy(view, plan, entry.contractAddress, facts)
    const [code, executed, alone] = await Promise.all([
      blocks.request(view, 'eth_getCode', [plan.from], NodeBytes).then(getResult),
      executeBatches(blocks, view, plan, watched),
      runAlone(blocks, view, plan, gasCap).catch((error: unknown) => ({ error })),
    ])
    // A contract would behave differently with the executor's code laid over it.
    if (isWallet(code) && executed !== undefined && !(await isMisled(view, plan, executed))) {
      const batches = executed.map((run, index) =>
        withinCap(run, 'error' in alone ? undefined : alone[index]),
      )
      return { method: 'eth_call', batches }
    }
    if ('error' in alone) throw alone.error
    return { method: 'partial', batches: alone }
  }

  /**
   * Whether a contract was misled by the executor's code at the wallet's address: a token that checks a signature takes its
   * signer for a contract then. That shows where the first call of a batch failed, and works without that code.
   */
  async function isMisled(view: BlockView, plan: BatchPlan, executed: readonly BatchRun[]): Promise<boolean> {
    const [call] = plan.batches[executed.findIndex((run) => !run.ok && run.callIndex === 0)] ?? []
    if (call === undefined) return false
    const { to, data, value } = call
    const answer = await blocks.call(view, { from: plan.from, to, data, value }, { inNextBlock: view.now })
    return answer.kind === 'result' && !refusesApproval(call, answer.result)
  }

  /** The run, or its failure over the chain's cap: the executor's calls had all the gas of an eth_call. */
  function withinCap(run: BatchRun, alone: BatchRun | undefined): BatchRun {
    if (gasCap === undefined || !run.ok) return run
    const callIndex = run.calls.findIndex(({ gas }, index) =>
      // The first call was also made alone, with exactly the cap.
      index === 0 && alone !== undefined ? !alone.ok && limitFor(gas.peakGas) > gasCap : gas.peakGas > gasCap,
    )
    const over = run.calls[callIndex]
    if (over === undefined) return run
    const failure = { data: '0x', ranOutOfGas: true } as const
    return { ok: false, callIndex, failure, overCap: { gasNeeded: over.gas.peakGas } }
  }
}

/** Whether somebody signs for the address: it has no code, or has delegated it to a contract's (EIP-7702). */
function isWallet(code: Hex): boolean {
  return code === '0x' || (code.startsWith('0xef0100') && size(code) === 23)
}
