import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { RemitRunner } from '../../contracts/generated/RemitRunner.ts'
import type { CountedRemit, RemitProbe } from '../protocol/remitObserved.ts'
import { NodeBytes } from './quantity.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from './rpc.ts'
import { nextBlock, type PinnedView } from './simulateBlock.ts'

/** More than any backlog needs that is worked off now and then; the node's gas cap may end it before. */
const MOST_CALLS = 64n

/** Left over for the answer when a call uses up all it is given: 64 rows with their balances. */
const KEPT_GAS = 2_000_000n

const { abi, deployedBytecode } = RemitRunner

/**
 * Calls remit() in a row within one eth_call, from a runner whose code is laid over the caller's address.
 *
 * Logs cannot be seen this way: only how many calls it takes, the days, and what the caller gains.
 * `undefined` where the node refuses overrides or passes over them.
 */
export async function runRemits(
  rpc: Rpc,
  view: PinnedView,
  { contract, caller, tokens }: { contract: Address; caller: Address; tokens: readonly Address[] },
): Promise<RemitProbe | undefined> {
  const args = [contract, [...tokens], MOST_CALLS, KEPT_GAS] as const
  const data = encodeFunctionData({ abi, functionName: 'run', args })
  const call = { from: caller, to: caller, data }
  const params = [call, view.pin, { [caller]: { code: deployedBytecode } }, nextBlock(view)]
  try {
    const run = decode(await rpc.request('eth_call', params, NodeBytes, view))
    if (run === undefined) return undefined
    const [before, steps, reverted, reason] = run
    // Without the gas for even one call there is nothing to tell.
    if (steps.length === 0 && !reverted) return undefined
    const calls = steps.map(({ nextUncheckedDay, balances }, index): CountedRemit => {
      const held = steps[index - 1]?.balances ?? before
      return { nextUncheckedDay: Number(nextUncheckedDay), gained: gainsOf(tokens, held, balances) }
    })
    return { method: 'eth_call', calls, revert: reverted ? { data: reason, ranOutOfGas: false } : undefined }
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) throw error
    return undefined
  }
}

/** `undefined` where what came back is not the runner's answer: the node did not put it there. */
function decode(data: Hex) {
  try {
    return decodeFunctionResult({ abi, functionName: 'run', data })
  } catch {
    return undefined
  }
}

function gainsOf(
  tokens: readonly Address[],
  before: readonly bigint[],
  after: readonly bigint[],
): CountedRemit['gained'] {
  return tokens.flatMap((token, index) => {
    const amountRaw = (after[index] ?? 0n) - (before[index] ?? 0n)
    return amountRaw === 0n ? [] : [{ token, amountRaw }]
  })
}
