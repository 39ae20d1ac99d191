import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem'
import type { PlannedCall } from '../../core/ports/proof.ts'
import { decodeTokenLog, type EncodedLog } from '../../protocol/logs/events.ts'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas } from '../block/simulateV1.ts'
import { peakBeforeRefunds } from './callGas.ts'
import type { BatchFailure, BatchPlan, BatchRun, TokenDelta } from './simulateRun.ts'
import { BATCH_GAS } from './simulationBudget.ts'

/**
 * Runs every batch of a plan by eth_simulateV1, side by side: each is one block of calls in order, as one
 * state, on top of the view's block.
 *
 * No call gets more gas than a transaction may have. If one runs out of gas, a second HTTP request runs the batch
 * with exactly the cap, and with all the gas of a block, to learn how much it needs. `undefined` if the node lacks
 * the method or refuses one of the batches.
 * @param gasCap of the chain; `undefined` if it has none
 */
export async function simulateBatches(
  blocks: BlockReader,
  view: BlockView,
  plan: BatchPlan,
  gasCap: bigint | undefined,
): Promise<BatchRun[] | undefined> {
  const runs = await Promise.all(
    plan.batches.map((calls) =>
      simulateBatch((gas) => runBatch(blocks, view, plan, calls, gas), calls, gasCap),
    ),
  )
  const known = runs.filter((run) => run !== undefined)
  return known.length === runs.length ? known : undefined
}

async function simulateBatch(
  run: (gas: bigint | undefined) => Promise<BatchRun | undefined>,
  calls: readonly PlannedCall[],
  gasCap: bigint | undefined,
): Promise<BatchRun | undefined> {
  const share = gasCap === undefined ? undefined : least(gasCap, BATCH_GAS / BigInt(calls.length))
  const first = await run(share)
  if (first === undefined || first.ok || gasCap === undefined || !first.failure.ranOutOfGas) return first
  const [capped, boundless] = await Promise.all([share === gasCap ? first : run(gasCap), run(undefined)])
  if (capped?.ok) return capped
  const failed = capped ?? first
  if (boundless === undefined) return overCap(failed)
  if (boundless.ok) return overCap(failed, boundless.calls[failed.callIndex]?.gas.peakGas)
  // It reverts with more gas too, and now with its reason.
  return boundless.failure.data === '0x' ? overCap(failed) : boundless
}

function overCap(failed: BatchFailure, gasNeeded?: bigint): BatchFailure {
  return { ...failed, overCap: { gasNeeded } }
}

async function runBatch(
  blocks: BlockReader,
  view: BlockView,
  { from }: BatchPlan,
  batch: readonly PlannedCall[],
  gas: bigint | undefined,
): Promise<BatchRun | undefined> {
  const calls = batch.map(({ to, data, value }) => ({
    from,
    to,
    data,
    value,
    ...(gas === undefined ? {} : { gas }),
  }))
  const simulated = findResult(await blocks.simulate(view, calls))
  if (simulated === undefined) return undefined
  const callIndex = simulated.findIndex(({ status }) => status !== 1n)
  const failure = simulated[callIndex]
  if (failure !== undefined) {
    const { returnData: data } = failure
    return { ok: false, callIndex, failure: { data, ranOutOfGas: ranOutOfGas(failure, gas) } }
  }
  const runs = simulated.map(({ gasUsed, logs }) => ({
    success: true,
    gasUsed,
    gas: { peakGas: peakBeforeRefunds(gasUsed), source: 'simulated' as const },
    logs: logs ?? [],
  }))
  return { ok: true, calls: runs, deltas: transferDeltas(runs.flatMap(({ logs }) => logs)) }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/**
 * What each account gained or lost of each token, by the tokens' own Transfer logs: exact sums, in the order
 * of first mention.
 *
 * Sums of zero are left out, and so is the zero address, which stands for minting and burning.
 */
export function transferDeltas(logs: readonly EncodedLog[]): TokenDelta[] {
  const deltas = new Map<string, TokenDelta>()
  const add = (token: Address, account: Address, amount: bigint) => {
    if (isAddressEqual(account, zeroAddress)) return
    const key = `${token}:${account}`.toLowerCase()
    const before = deltas.get(key)?.delta ?? 0n
    deltas.set(key, { account: getAddress(account), token: getAddress(token), delta: before + amount })
  }
  for (const log of logs) {
    const event = decodeTokenLog(log)
    if (event?.type !== 'Transfer') continue
    add(log.address, event.from, -event.amountRaw)
    add(log.address, event.to, event.amountRaw)
  }
  return [...deltas.values()].filter(({ delta }) => delta !== 0n)
}
