import { BatchExecutor } from '@remit/contracts/BatchExecutor'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { PlannedCall } from '../ports/proof.ts'
import { type BatchPlan, type BatchRun, intrinsicGas, type TokenDelta } from './batchRun.ts'
import { REFUSED_APPROVAL, refusesApproval } from './callFailure.ts'
import { most } from './callGas.ts'
import type { WatchedBalances } from './simulateWatched.ts'

// The second way to run a plan's batches, for nodes without eth_simulateV1: through the batch executor (a contract in
// packages/contracts), whose code is laid over the wallet's address for one eth_call by a state override. It makes the batch's
// calls one after the other, as the wallet, and returns how each ended and some balances afterwards.

/**
 * Added to the gas of each call but the first. The first access of a transaction to an account or slot costs more ("cold", EIP-2929),
 * and so does the first change of a slot. All calls of a batch run in one eth_call here, so later ones find warm what earlier ones
 * touched, and pay less than in a transaction of their own. This makes up for a dozen slots and accounts.
 */
const WARM_GAS = 30_000n

const { abi, deployedBytecode } = BatchExecutor

type Executed = ReturnType<typeof decodeRun>

/**
 * Runs every batch of a plan, each in one eth_call, in which a call sees what those before it changed.
 *
 * Events cannot be seen this way. Balance changes are those of the watched accounts and tokens. `undefined` if the
 * node refuses or ignores overrides.
 */
export async function executeBatches(
  blocks: BlockReader,
  view: BlockView,
  plan: BatchPlan,
  watched: WatchedBalances,
): Promise<BatchRun[] | undefined> {
  const [before, ...after] = await Promise.all(
    // The balances before are read by a run of their own, without calls: read within a batch's run, they would warm its slots.
    [[], ...plan.batches].map((calls) => execute(blocks, view, plan.from, calls, watched)),
  )
  if (before === undefined) return undefined
  const runs = after.map((run, index) => run && toBatchRun(run, before, plan.batches[index] ?? [], watched))
  const known = runs.filter((run) => run !== undefined)
  return known.length === runs.length ? known : undefined
}

/** `undefined` if the answer is not the executor's, because the node did not lay its code there. */
async function execute(
  blocks: BlockReader,
  view: BlockView,
  from: Address,
  calls: readonly PlannedCall[],
  { tokens, accounts }: WatchedBalances,
): Promise<Executed | undefined> {
  const data = encodeFunctionData({ abi, functionName: 'run', args: [[...calls], tokens, accounts] })
  const answer = await blocks.call(
    view,
    { from, to: from, data },
    { code: { [from]: deployedBytecode }, inNextBlock: view.now },
  )
  const returned = findResult(answer)
  if (returned === undefined) return undefined
  try {
    return decodeRun(returned)
  } catch {
    return undefined
  }
}

function decodeRun(data: Hex) {
  const [results, balances] = decodeFunctionResult({ abi, functionName: 'run', data })
  return { results, balances }
}

function toBatchRun(
  { results, balances }: Executed,
  before: Executed,
  calls: readonly PlannedCall[],
  watched: WatchedBalances,
): BatchRun | undefined {
  // An approval that answers false has succeeded for the executor, and changed nothing.
  const refused = results.findIndex(
    ({ success, returnData }, index) => success && refusesApproval(calls[index], returnData),
  )
  if (refused !== -1) return { ok: false, callIndex: refused, failure: REFUSED_APPROVAL }
  const last = results.at(-1)
  if (last?.success === false) {
    // A call that ran out of gas only shows an empty revert here.
    return {
      ok: false,
      callIndex: results.length - 1,
      failure: { data: last.returnData, ranOutOfGas: false },
    }
  }
  // Not every call was made, so this is not the executor's answer.
  if (results.length !== calls.length) return undefined
  return {
    ok: true,
    calls: results.map((result, index) => {
      const { base, floor } = intrinsicGas(calls[index]?.data ?? '0x')
      const gasUsed = most(base + result.gasUsed, floor)
      const peakGas = index === 0 ? gasUsed : gasUsed + WARM_GAS
      return { success: true, gasUsed, gas: { peakGas, source: 'simulated' }, logs: null }
    }),
    deltas: deltasBetween(before.balances, balances, watched),
  }
}

/** The changes of the watched balances, which the executor gives token by token. */
function deltasBetween(
  before: Executed['balances'],
  after: Executed['balances'],
  { tokens, accounts }: WatchedBalances,
): TokenDelta[] {
  return tokens.flatMap((token, t) =>
    accounts.flatMap((account, a) => {
      const [from, to] = [before[t * accounts.length + a], after[t * accounts.length + a]]
      if (!from?.known || !to?.known || from.amount === to.amount) return []
      return [{ account, token, delta: to.amount - from.amount }]
    }),
  )
}
