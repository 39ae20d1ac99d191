import { decodeTokenLog, type EncodedLog } from '@remit/protocol/logs/events'
import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem'
import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import type { PlannedCall } from '../ports/proof.ts'
import type { BatchFailure, BatchPlan, BatchRun, TokenDelta } from './batchRun.ts'
import { REFUSED_APPROVAL, refusesApproval } from './callFailure.ts'
import { least, peakBeforeRefunds } from './callGas.ts'
import { budgetOf, simulateInOrder } from './simulateInOrder.ts'
import { BATCH_GAS } from './simulationBudget.ts'

// The first way to run a plan's batches (batchRunner.ts): by eth_simulateV1. A plan's batches are alternatives; a batch is calls in order.
// Gas is what makes it long: some nodes refuse a request whose calls ask for too much together, others let all calls share one budget,
// and a chain caps a transaction. So each call first gets a share, and what ran out of gas is run again with more.

/** How often a refused batch is tried with less gas. Each refusal shows a node's limit more exactly. */
const MOST_TRIES = 6

/**
 * Runs every batch of a plan by eth_simulateV1, side by side: each is one block of calls in order, as one
 * state, on top of the view's block.
 *
 * No call gets more gas than a transaction may have, and all of them together no more than the node is known to grant. If
 * one runs out of gas, a second HTTP request runs the batch with exactly the cap, and with all the gas of a block, to
 * learn how much it needs. `undefined` if the node lacks the method or refuses one of the batches.
 * @param gasCap of the chain; `undefined` if it has none
 */
export async function simulateBatches(
  blocks: BlockReader,
  view: BlockView,
  plan: BatchPlan,
  gasCap: bigint | undefined,
): Promise<BatchRun[] | undefined> {
  const runs = await Promise.all(
    plan.batches.map((batch) => {
      const run = async (gas: bigint | undefined) => {
        const calls = callsOf(plan, batch, gas)
        const simulated = findResult(await blocks.simulate(view, calls))
        return simulated && toBatchRun(simulated, batch, gas)
      }
      // With all of `gas` for each call, even where the node's budget is less than that together: then in several requests.
      const runFully = async (gas: bigint | undefined) => {
        if (gas === undefined) return run(gas)
        const calls = callsOf(plan, batch, gas).map((call) => ({ ...call, gas }))
        const found = await simulateInOrder(blocks, view, calls, ({ status }) => status !== 1n)
        return found === undefined || found.cut !== undefined
          ? undefined
          : toBatchRun(found.answers, batch, gas)
      }
      return simulateBatch({ run, runFully, budget: () => budgetOf(blocks) }, batch, gasCap)
    }),
  )
  const known = runs.filter((run) => run !== undefined)
  return known.length === runs.length ? known : undefined
}

/** Runs a batch with so much gas for each of its calls; `undefined` leaves it to the node. */
type RunBatch = (gas: bigint | undefined) => Promise<BatchRun | undefined>

/**
 * One batch: with a share of gas for each call, and again if that was too little.
 * @param budget what the node is known to grant all calls of a request together; `undefined` where no limit is known
 */
async function simulateBatch(
  { run, runFully, budget }: { run: RunBatch; runFully: RunBatch; budget: () => bigint | undefined },
  calls: readonly PlannedCall[],
  gasCap: bigint | undefined,
): Promise<BatchRun | undefined> {
  const count = BigInt(calls.length)
  const share = () => shareOf(count, gasCap, budget())
  let gasGiven = share()
  let first = await run(gasGiven)
  for (let tries = 1; first === undefined && tries < MOST_TRIES; tries += 1) {
    const next = share()
    // It is tried again only if the refusal has shown that the node grants less.
    if (next === undefined || (gasGiven !== undefined && next >= gasGiven)) break
    gasGiven = next
    first = await run(gasGiven)
  }
  if (first === undefined || first.ok || !first.failure.ranOutOfGas) return first
  // A call ran out of gas. On a chain without a cap, that is a failure only if the call was given no limit: a share may be too little.
  if (gasCap === undefined) return gasGiven === undefined ? first : undefined
  // With the cap: does it work in a transaction? With all the gas of a block: how much would it need, or does it revert all the same?
  const [capped, uncapped] = await Promise.all([
    gasGiven === gasCap ? first : runFully(gasCap),
    run(undefined),
  ])
  if (capped?.ok) return capped
  // The run with the cap did not fit into the node's budget. So a failure says nothing of the chain's cap, and only a success counts.
  if (capped === undefined && budget() !== undefined) return uncapped?.ok === false ? undefined : uncapped
  const failed = capped ?? first
  if (uncapped === undefined) return overCap(failed)
  if (uncapped.ok) return overCap(failed, uncapped.calls[failed.callIndex]?.gas.peakGas)
  // It reverts with more gas too, and now with its reason.
  return uncapped.failure.data === '0x' ? overCap(failed) : uncapped
}

/** What each of so many calls may have at first; `undefined` leaves it to the node. */
function shareOf(count: bigint, gasCap: bigint | undefined, budget: bigint | undefined): bigint | undefined {
  if (gasCap === undefined) return budget && budget / count
  return least(gasCap, (budget === undefined ? BATCH_GAS : least(BATCH_GAS, budget)) / count)
}

/** The failure, as one that needs more gas than a transaction may have. */
function overCap(failed: BatchFailure, gasNeeded?: bigint): BatchFailure {
  return { ...failed, overCap: { gasNeeded } }
}

/** A batch as calls to simulate, each with so much gas; `undefined` leaves it to the node. */
function callsOf(
  { from }: BatchPlan,
  batch: readonly PlannedCall[],
  gas: bigint | undefined,
): readonly SimulationCall[] {
  return batch.map(({ to, data, value }) => {
    return { from, to, data, value, ...(gas === undefined ? {} : { gas }) }
  })
}

/** What a simulated batch comes to. It fails with its first call that reverts, or that is an approval which answers false. */
function toBatchRun(
  simulated: readonly SimulatedCall[],
  batch: readonly PlannedCall[],
  gas: bigint | undefined,
): BatchRun {
  const callIndex = simulated.findIndex(
    ({ status, returnData }, index) => status !== 1n || refusesApproval(batch[index], returnData),
  )
  const failure = simulated[callIndex]
  if (failure !== undefined) {
    const { status, returnData: data } = failure
    if (status === 1n) return { ok: false, callIndex, failure: REFUSED_APPROVAL }
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
