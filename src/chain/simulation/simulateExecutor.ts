import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { BatchExecutor } from '../../../contracts/generated/BatchExecutor.ts'
import type { PlannedCall } from '../../core/ports/proof.ts'
import { nextBlock, type PinnedView } from '../block/simulateBlock.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'
import { type BatchPlan, type BatchRun, intrinsicGas, type TokenDelta } from './simulateRun.ts'
import type { Watched } from './simulateWatched.ts'

/**
 * In a transaction of its own a call finds every account and slot cold, and pays for slots as changed for the
 * first time; behind other calls of one eth_call it does not. This is added for it: a dozen slots and accounts.
 */
const WARM_GAS = 30_000n

const { abi, deployedBytecode } = BatchExecutor

type Executed = ReturnType<typeof decodeRun>

/**
 * Runs every batch of a plan through the batch executor, laid over `from` by a code override: one eth_call
 * for each, as one state, with the wallet as sender of the inner calls.
 *
 * Events cannot be seen this way. Balance changes are those of the watched accounts and tokens. `undefined`
 * where the node refuses overrides or passes over them.
 */
export async function executeBatches(
  rpc: Rpc,
  view: PinnedView,
  plan: BatchPlan,
  watched: Watched,
): Promise<BatchRun[] | undefined> {
  try {
    const [before, ...after] = await Promise.all(
      // A run without calls reads the balances before, and leaves the real runs cold.
      [[], ...plan.batches].map((calls) => execute(rpc, view, plan.from, calls, watched)),
    )
    return after.map((run, index) => toBatchRun(run, before, plan.batches[index] ?? [], watched))
  } catch (error) {
    if (error instanceof UnknownBlockError) throw error
    if (error instanceof RpcResponseError || error instanceof NotExecutedError) return undefined
    throw error
  }
}

/** What came back is not the executor's answer: the node did not put it there. */
class NotExecutedError extends Error {
  override readonly name = 'NotExecutedError'
}

async function execute(
  rpc: Rpc,
  view: PinnedView,
  from: Address,
  calls: readonly PlannedCall[],
  { tokens, accounts }: Watched,
): Promise<Executed> {
  const data = encodeFunctionData({ abi, functionName: 'run', args: [[...calls], tokens, accounts] })
  const params = [{ from, to: from, data }, view.pin, { [from]: { code: deployedBytecode } }, nextBlock(view)]
  const answer = await rpc.request('eth_call', params, NodeBytes, view)
  try {
    return decodeRun(answer)
  } catch (cause) {
    throw new NotExecutedError('the answer is not the executor’s', { cause })
  }
}

function decodeRun(data: Hex) {
  const [results, balances] = decodeFunctionResult({ abi, functionName: 'run', data })
  return { results, balances }
}

function toBatchRun(
  { results, balances }: Executed,
  before: Executed | undefined,
  calls: readonly PlannedCall[],
  watched: Watched,
): BatchRun {
  const last = results.at(-1)
  if (last?.success === false) {
    // Whether gas ran out inside cannot be seen from outside; an empty revert is what remains of it.
    return {
      ok: false,
      callIndex: results.length - 1,
      failure: { data: last.returnData, ranOutOfGas: false },
    }
  }
  if (results.length !== calls.length) throw new NotExecutedError('not every call was made')
  return {
    ok: true,
    calls: results.map((result, index) => {
      const { base, floor } = intrinsicGas(calls[index]?.data ?? '0x')
      const gasUsed = max(base + result.gasUsed, floor)
      const peakGas = index === 0 ? gasUsed : gasUsed + WARM_GAS
      return { success: true, gasUsed, gas: { peakGas, source: 'simulated' }, logs: null }
    }),
    deltas: deltasBetween(before?.balances ?? [], balances, watched),
  }
}

function deltasBetween(
  before: Executed['balances'],
  after: Executed['balances'],
  { tokens, accounts }: Watched,
): TokenDelta[] {
  return tokens.flatMap((token, t) =>
    accounts.flatMap((account, a) => {
      const [from, to] = [before[t * accounts.length + a], after[t * accounts.length + a]]
      if (!from?.known || !to?.known || from.amount === to.amount) return []
      return [{ account, token, delta: to.amount - from.amount }]
    }),
  )
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
