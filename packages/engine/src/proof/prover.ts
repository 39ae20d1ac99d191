import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { BlockCache } from '../block/blockCache.ts'
import type { Facts } from '../block/facts.ts'
import { type ChainEntry, gasCapOf } from '../chain/registry.ts'
import { gasCapIssue, NotReadyError, SimulationFailedError } from '../errors/prepare.ts'
import type { PlannedCall, PreparePlan, Proof, ProofAttempt } from '../ports/proof.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Issue } from '../schema/envelope.ts'
import type { GasEstimate } from '../schema/transaction.ts'
import { type BatchFailure, type BatchRuns, type BatchSuccess, forEachCall } from '../simulation/batchRun.ts'
import { type BatchRunner, createBatchRunner } from '../simulation/batchRunner.ts'
import { revertReason } from '../simulation/callFailure.ts'
import { eventRows, type KnownTokens, resolveTokens, tokensNamed } from './eventRows.ts'
import { estimateOf, readFees, summaryOf } from './gas.ts'
import { gasFrom } from './gasFrom.ts'
import { readL1DataFee } from './gasL1.ts'
import { partialWarning, proofWarnings } from './proverWarnings.ts'

// A prepare's calls are proven by simulation before they are answered. A plan has one or more batches, alternatives for the same end; a
// batch is calls that are sent one after the other. All batches are run on top of the view's block (`simulation/batchRunner.ts`), and the
// first that succeeds is the answer, with its gas, its events and what it changes of balances.

/** Proves batches on top of a view's block. */
export interface Prover {
  /**
   * The first batch of the plan that succeeds, and what it does.
   *
   * Takes one HTTP request, a second one if the node turns out to lack eth_simulateV1, and another one if tokens
   * move that were not read yet. Throws SimulationFailedError if every batch reverts, UnknownBlockError if the view's
   * block is gone, RpcResponseError for anything else that a node refuses.
   */
  prove(view: BlockView, plan: PreparePlan): Promise<Proof>
  /**
   * Only whether `prove` would succeed: one HTTP request, or none if the same was tried on top of this block. Throws as
   * `prove` does, except that a revert is an answer.
   */
  attempt(view: BlockView, plan: AttemptPlan): Promise<ProofAttempt>
}

type AttemptPlan = Pick<PreparePlan, 'operation' | 'from' | 'batches' | 'gasWayOut'>

/** How many results of `attempt` on the newest blocks are kept. Each is for one wallet's calls, a few kilobytes. */
const MOST_ATTEMPTS = 2_000

interface ProverOptions {
  readonly rpc: Rpc
  readonly blocks: BlockReader
  readonly entry: Pick<ChainEntry, 'contractAddress' | 'opStack' | 'txGasCap'>
  readonly facts: Facts
}

export function createProver({
  onCacheAsked = () => {},
  ...options
}: ProverOptions & { readonly onCacheAsked?: (known: boolean) => void }): Prover {
  const runner = createBatchRunner(options)
  const gasCap = gasCapOf(options.entry)
  const attempts = new BlockCache({ max: MOST_ATTEMPTS, maxRows: MOST_ATTEMPTS, onAsked: onCacheAsked })
  return {
    prove: (view, plan) => prove(options, runner, view, plan),
    // Callers share an answer, so one that disconnects must not abort it.
    attempt: ({ signal: _, ...view }, plan) =>
      attempts.get(view.asOf.blockHash, questionOf(view, plan), async () => ({
        value: attemptOf(plan, await runner.run(view, plan), gasCap),
        rows: 1,
      })),
  }
}

/** All that an attempt depends on. The words of instructions are left out: they are made of the same facts as the calls. */
function questionOf({ now }: BlockView, { operation, from, batches }: AttemptPlan): string {
  const calls = batches.map((batch) => batch.map(({ to, data, value }) => `${to}:${data}:${value}`).join())
  return `${dayNumberAt(now)}:${operation}:${from}:${calls.join('|')}`
}

/** Whether `prove` would succeed, by runs that are made already. */
function attemptOf(plan: AttemptPlan, runs: BatchRuns, gasCap: bigint | undefined): ProofAttempt {
  try {
    const { run, calls } = firstSuccess(plan, runs, gasCap)
    // `partial`: each call was run without those before it, which is enough where there is only one.
    const isWhole = runs.method !== 'partial' || calls.length === 1
    return { issues: [], calls, unproven: isWhole ? undefined : partialWarning({ method: runs.method, run }) }
  } catch (error) {
    return { issues: issuesOf(error), calls: [], unproven: undefined }
  }
}

/** The issues that a failed proof comes to. Rethrows an error that says nothing about the calls. */
function issuesOf(error: unknown): readonly Issue[] {
  if (error instanceof NotReadyError) return error.issues ?? []
  if (!(error instanceof SimulationFailedError)) throw error
  return [{ code: 'SIMULATION_FAILED', message: error.message, reason: error.facts.reason }]
}

/** Runs the batches, and says what the first that succeeds does and costs. */
async function prove(
  { rpc, blocks, entry, facts }: ProverOptions,
  runner: BatchRunner,
  view: BlockView,
  plan: PreparePlan,
): Promise<Proof> {
  const { simulateFromAddress } = plan
  const gasCap = gasCapOf(entry)
  // All of this is asked in one tick, and so in one HTTP request.
  const [runs, fees, l1DataFee, estimates] = await Promise.all([
    runner.run(view, plan),
    readFees(rpc, view),
    forEachCall(plan, async (call) => (entry.opStack ? readL1DataFee(blocks, view, call) : null)),
    simulateFromAddress === undefined ? [] : gasFrom(blocks, view, simulateFromAddress, plan, gasCap),
  ])
  const { run, calls } = firstSuccess(plan, runs, gasCap)
  const measured = estimates[plan.batches.indexOf(calls)] ?? []
  const gasEstimates = run.calls.map(({ gas }, index): GasEstimate => {
    const estimated = measured[index]
    const call = calls[index]
    // `estimated` is the gas if `simulateFromAddress` sends. Never below the signer's own: the signer may send after all, and pay for
    // slots that the other address has filled already.
    const isEnough = estimated !== undefined && estimated >= gas.peakGas
    return estimateOf({
      chainId: view.chainId,
      gas: isEnough ? { peakGas: estimated, source: 'estimated' } : gas,
      fees,
      l1DataFeeWei: (call && l1DataFee(call)) ?? null,
      gasCap,
    })
  })
  const logs = run.calls.flatMap((call) => call.logs ?? [])
  const moved = run.deltas.map(({ token }) => token)
  const tokens = await resolveTokens(view, facts, [
    ...new Set([...tokensNamed(logs, entry.contractAddress), ...moved]),
  ])
  return {
    calls,
    simulation: {
      success: true,
      method: runs.method,
      blockNumber: view.asOf.blockNumber,
      calls: run.calls.map(({ success, gasUsed, logs }) => ({
        success,
        gasUsed,
        events: logs && eventRows(logs, entry.contractAddress, tokens),
      })),
      balanceChanges: balanceChanges(run, tokens),
    },
    gasEstimates,
    gasSummary: summaryOf(view.chainId, gasEstimates, plan.backlogMultiplier),
    warnings: proofWarnings({
      plan,
      calls,
      method: runs.method,
      run,
      gasEstimates,
      estimated: calls.map((_, index) => measured[index] !== undefined),
    }),
  }
}

/** The first batch that succeeds. Throws NotReadyError, SimulationFailedError where none does. */
function firstSuccess(
  plan: AttemptPlan,
  { batches }: BatchRuns,
  gasCap: bigint | undefined,
): { run: BatchSuccess; calls: readonly PlannedCall[] } {
  let nearest: { failure: BatchFailure; callsLeft: number } | undefined
  for (const [index, run] of batches.entries()) {
    const calls = plan.batches[index] ?? []
    if (run.ok) return { run, calls }
    // Where all fail, one failure is told. Batches differ in their first calls (another approval), and end in the same call, so the failure
    // with the fewest calls left says most.
    const callsLeft = calls.length - run.callIndex
    if (nearest === undefined || callsLeft < nearest.callsLeft) nearest = { failure: run, callsLeft }
  }
  if (nearest === undefined) throw new RangeError(`The plan of ${plan.operation} has no batch.`)
  const { callIndex, failure, overCap } = nearest.failure
  if (overCap !== undefined && gasCap !== undefined) {
    const { gasNeeded } = overCap
    const wayOut = plan.gasWayOut
    throw new NotReadyError(plan.operation, [
      gasCapIssue({ what: plan.operation, gasCap, gasNeeded, wayOut, callIndex }),
    ])
  }
  throw new SimulationFailedError(plan.operation, { ...revertReason(failure), callIndex })
}

/** The balance changes of a batch. Those of tokens with unknown decimals are left out, because their amounts cannot be stated. */
function balanceChanges(
  { deltas }: BatchSuccess,
  tokens: KnownTokens,
): Proof['simulation']['balanceChanges'] {
  return deltas.flatMap(({ account, token: address, delta }) => {
    const token = tokens.get(address)
    if (token === undefined) return []
    const { symbol, name, decimals } = token
    return [
      {
        account,
        token: { address, symbol, name, decimals },
        amount: formatHuman(delta, decimals),
        amountRaw: delta,
        tokenDecimals: decimals,
      },
    ]
  })
}
