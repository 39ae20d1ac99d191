import { RemitRunner } from '@remit/contracts/RemitRunner'
import type { CountedRemit, RemitFailure, RemitProbe } from '@remit/protocol/remit/observeRemit'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { REMIT_DATA } from './remitCall.ts'

/** More than a backlog needs that is charged now and then. The node's gas cap may end the run before. */
const MOST_CALLS = 64n

/** Gas that is kept for the answer, 64 rows with their balances, if a call uses up all it is given. */
const KEPT_GAS = 2_000_000n

const { abi, deployedBytecode } = RemitRunner

/**
 * Calls remit() in a row within one eth_call, from a runner whose code is laid over the caller's address.
 *
 * This shows how many calls it takes, the days, and what the caller gains, but no logs. `undefined` if the node
 * refuses or ignores overrides.
 */
export async function runRemits(
  blocks: BlockReader,
  view: BlockView,
  plan: { contract: Address; caller: Address; tokens: readonly Address[]; gasCap: bigint | undefined },
): Promise<RemitProbe | undefined> {
  const [run, capped] = await Promise.all([runMany(blocks, view, plan), runCapped(blocks, view, plan)])
  if (run === undefined || run.calls.length === 0) return run
  return capped === undefined ? run : { method: 'eth_call', calls: [], revert: capped }
}

async function runMany(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, tokens }: { contract: Address; caller: Address; tokens: readonly Address[] },
): Promise<Extract<RemitProbe, { method: 'eth_call' }> | undefined> {
  const args = [contract, [...tokens], MOST_CALLS, KEPT_GAS] as const
  const data = encodeFunctionData({ abi, functionName: 'run', args })
  const call = { from: caller, to: caller, data }
  const overrides = { code: { [caller]: deployedBytecode }, inNextBlock: view.now }
  const returned = findResult(await blocks.call(view, call, overrides))
  const run = returned && decode(returned)
  if (run === undefined) return undefined
  const [before, steps, reverted, reason] = run
  // There was not gas enough for a single call.
  if (steps.length === 0 && !reverted) return undefined
  const calls = steps.map(({ nextUncheckedDay, balances }, index): CountedRemit => {
    const held = steps[index - 1]?.balances ?? before
    return { nextUncheckedDay: Number(nextUncheckedDay), gained: gainsOf(tokens, held, balances) }
  })
  return { method: 'eth_call', calls, revert: reverted ? { data: reason, ranOutOfGas: false } : undefined }
}

/** How the first call fails with the most gas that a transaction may have; `undefined` if it succeeds. */
async function runCapped(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, gasCap }: { contract: Address; caller: Address; gasCap: bigint | undefined },
): Promise<RemitFailure | undefined> {
  if (gasCap === undefined) return undefined
  const call = { from: caller, to: contract, data: REMIT_DATA }
  const [capped, estimate] = await Promise.all([
    blocks.call(view, { ...call, gas: gasCap }, { inNextBlock: view.now }),
    blocks.estimateGas(view, { ...call, value: 0n }),
  ])
  const gasNeeded = findResult(estimate)
  if (capped.kind === 'unknownBlock') throw capped.error
  // A refusal of the node says nothing about the call.
  if (capped.kind !== 'reverted') return undefined
  return { data: capped.data, ranOutOfGas: true, ...(gasNeeded === undefined ? {} : { gasNeeded }) }
}

/** `undefined` if the answer is not the runner's, because the node did not lay its code there. */
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
