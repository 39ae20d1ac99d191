/**
 * Tries the remits of a keeper at its own node, without sending: the one that is due now (`tryRemit`), or those of the next day
 * (`tryRemitsAhead`). Below them: the simulation, gas limits, and how a node says that it cannot simulate.
 */

import { type Address, BaseError, decodeErrorResult, type Hex, RpcRequestError } from 'viem'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import type { WalletLog } from '../../../sending/wait/decodeEvents.ts'
import { isRevert, revertData } from '../../../sending/wallet/walletErrors.ts'
import { type Gain, NoSimulationError, type RemitAhead, type RemitsAhead, type RemitTry } from '../ports.ts'
import type { OwnNode } from './OwnNode.ts'

/**
 * The state can change between the try and the block: to write a storage slot that is new by then costs 17,100 gas more
 * than to change one. So 25,000 pays for one such slot.
 */
const DRIFT_GAS = 25_000n
/** No transaction may ask for more gas on chains with EIP-7825. */
const TRANSACTION_GAS_CAP = 2n ** 24n

/**
 * Tries a remit at the keeper's own node: by eth_simulateV1 over the next block; where the node lacks that, by
 * eth_estimateGas, which cannot tell what it pays.
 * @param earningsIn what a run pays the caller, by its logs
 */
export async function tryRemit(
  node: OwnNode,
  from: Address,
  call: OwnCall,
  earningsIn: (logs: readonly WalletLog[]) => Promise<Gain[]>,
): Promise<RemitTry> {
  let run: Run
  try {
    const next = await nextBlock(node)
    run = onlyOf(await simulate(node, from, [{ ...next, call }]))
  } catch (error) {
    if (!lacksSimulation(error)) throw error
    return estimate(node, from, call)
  }
  if (run.status !== 'success') return { kind: 'reverts', reason: reasonIn(run.data) }
  return { kind: 'runs', gasLimit: gasLimitOf(run), gains: await earningsIn(logsOf(run)) }
}

/** How many remits are looked ahead at. Nodes bound what one simulation may take. */
const MOST_REMITS_AHEAD = 4
const SECONDS_PER_DAY = 86_400n

/**
 * Runs the first remits of the next UTC day by eth_simulateV1, one a block; `undefined` where what comes before them
 * reverts. Throws NoSimulationError where the node lacks the method.
 * @param before a call that is run in the next block, so before those remits
 * @param read what a remit pays the caller, and whom it charges and drops, by its logs
 */
export async function tryRemitsAhead(
  node: OwnNode,
  from: Address,
  { remit, before }: { readonly remit: OwnCall; readonly before: OwnCall | undefined },
  read: (logs: readonly WalletLog[]) => Promise<Pick<RemitAhead, 'gains' | 'outcomes'>>,
): Promise<RemitsAhead | undefined> {
  const next = await nextBlock(node)
  const midnight = (next.time / SECONDS_PER_DAY + 1n) * SECONDS_PER_DAY
  const blocks = Array.from({ length: MOST_REMITS_AHEAD }, (_, index) => ({
    number: next.number + BigInt(index) + 1n,
    time: midnight + BigInt(index),
    call: remit,
  }))
  const runs = await simulate(node, from, [{ ...next, call: before }, ...blocks]).catch((error: unknown) => {
    throw lacksSimulation(error)
      ? new NoSimulationError('The RPC has no eth_simulateV1.', { cause: error })
      : error
  })
  const [first] = before === undefined ? [] : runs.splice(0, 1)
  if (first !== undefined && first.status !== 'success') return undefined
  const remits: RemitAhead[] = []
  for (const run of runs) {
    if (run.status !== 'success') break
    remits.push({ gasLimit: gasLimitOf(run), ...(await read(logsOf(run))) })
  }
  return { callGasLimit: first === undefined ? 0n : gasLimitOf(first), remits }
}

interface NextBlock {
  readonly number: bigint
  readonly time: bigint
}

type Run = Awaited<ReturnType<typeof simulate>>[number]

async function nextBlock(node: OwnNode): Promise<NextBlock> {
  const [latest, pending] = await Promise.all([
    node.getBlock(),
    // Only for its time. Some nodes have no pending block.
    node.getBlock({ blockTag: 'pending' }).catch(() => undefined),
  ])
  const earliest = latest.timestamp + 1n
  const time = pending !== undefined && pending.timestamp > earliest ? pending.timestamp : earliest
  return { number: latest.number + 1n, time }
}

/** Simulates blocks of one call each, or of none, on top of the present chain. @returns the calls, in order */
async function simulate(
  node: OwnNode,
  account: Address,
  blocks: readonly (NextBlock & { readonly call: OwnCall | undefined })[],
) {
  const [first] = blocks
  if (first === undefined) throw new TypeError('There is nothing to simulate')
  const simulated = await node.simulateBlocks({
    blockNumber: first.number - 1n,
    blocks: blocks.map(({ number, time, call }) => ({
      blockOverrides: { number, time },
      calls: call === undefined ? [] : [{ account, to: call.to, data: call.data }],
    })),
  })
  const runs = simulated.flatMap(({ calls }) => calls)
  if (runs.length !== blocks.filter(({ call }) => call !== undefined).length) {
    throw new Error('The node simulated another number of calls')
  }
  return runs
}

function onlyOf(runs: readonly Run[]): Run {
  const [run] = runs
  if (run === undefined) throw new Error('The node simulated nothing')
  return run
}

/** `gasUsed` is after refunds, which are a fifth at most (EIP-3529). Some nodes also tell the peak. */
function gasLimitOf({ maxUsedGas, gasUsed }: Run): bigint {
  return limitFor(maxUsedGas ?? ceilDiv(gasUsed * 5n, 4n))
}

function logsOf({ logs }: Run): readonly WalletLog[] {
  if (logs === undefined) throw new Error('The node simulated a remit and told no logs')
  return logs
}

async function estimate(node: OwnNode, account: Address, { to, data }: OwnCall): Promise<RemitTry> {
  try {
    const gas = await node.estimateGas({ account, to, data })
    return { kind: 'runs', gasLimit: limitFor(gas), gains: undefined }
  } catch (error) {
    if (!isRevert(error)) throw error
    return { kind: 'reverts', reason: reasonIn(revertData(error)) }
  }
}

/**
 * With a margin: each call into another contract passes on only 63/64 of what is left (EIP-150), so the limit must be above
 * the peak. 16/15 is enough for four calls one inside the other: (64/63)^4 is 1.065.
 */
function limitFor(peakGas: bigint): bigint {
  const limit = ceilDiv(peakGas * 16n, 15n) + DRIFT_GAS
  return limit > TRANSACTION_GAS_CAP && peakGas <= TRANSACTION_GAS_CAP ? TRANSACTION_GAS_CAP : limit
}

/** The text of `revert("…")`. */
function reasonIn(data: Hex | undefined): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ data: data ?? '0x' })
    const [reason] = args ?? []
    return errorName === 'Error' && typeof reason === 'string' ? reason : undefined
  } catch {
    return undefined
  }
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** "Method not found" and "method not supported", by JSON-RPC and by EIP-1474. */
const LACKING_CODES: ReadonlySet<number> = new Set([-32_601, -32_004])
/** Gateways that have other codes name the method. */
const LACKING =
  /(method\W+)?eth_simulateV1\W+(does not exist|is not (found|available|supported|implemented|enabled|allowed))|(unsupported|unknown) method\W+eth_simulateV1/i

/**
 * Whether a node has said that it does not have eth_simulateV1. Any other error is a fault: the simulation is then
 * asked for again, and no other source is trusted instead.
 */
function lacksSimulation(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const answer = error.walk((cause) => cause instanceof RpcRequestError)
  if (!(answer instanceof RpcRequestError)) return false
  return LACKING_CODES.has(answer.code) || LACKING.test(answer.details)
}
