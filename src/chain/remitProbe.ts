import { type Address, encodeFunctionData, numberToHex } from 'viem'
import { ISubscriptions } from '../../contracts/generated/ISubscriptions.ts'
import {
  NOT_PROBED,
  type ObservedRemit,
  observeRemit,
  type RemitFailure,
  type RemitProbe,
} from '../protocol/remitObserved.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from './rpc.ts'
import type { SimulateSupport } from './SimulateSupport.ts'
import { SimulatedBlock } from './simulate.ts'
import { nextBlock, type PinnedView } from './simulateBlock.ts'
import { saysOutOfGas } from './simulateReverts.ts'
import { lacksMethod } from './simulateRuns.ts'

/** Enough for most backlogs to be walked to their end, and to tell what the contract has no view for. */
export const PROBED_CALLS = 8

const MOST_PROBED_CALLS = 64

/** A charge is some 3 KB of logs, and a node's answer may have 16 MB. */
const MOST_PROBED_CHARGES = 3_200

/** How often to call where nothing can be reckoned, with pages of so many subscribers. */
export function deeplyProbedCalls(maxRemits: number): number {
  const affordable = Math.floor(MOST_PROBED_CHARGES / Math.max(1, maxRemits))
  return Math.min(MOST_PROBED_CALLS, Math.max(PROBED_CALLS, affordable))
}

/**
 * No transaction may have more on chains with EIP-7825. A bound of its own for each call, because one that
 * runs out of gas would otherwise leave none to the calls behind it, and some nodes refuse such a block.
 */
const CALL_GAS = 2n ** 24n

/** The node will not simulate calls in a row, or not so many of them. */
const REFUSED = Symbol('refused')

/**
 * Calls remit() some times in a row on top of a view's block, by eth_simulateV1. One HTTP request; a second, for
 * one call with all the gas of a block, where the node bears no more or where the first call used up what it had.
 */
export async function probeRemit(
  rpc: Rpc,
  view: PinnedView,
  {
    contract,
    caller,
    calls,
    support,
  }: { contract: Address; caller: Address; calls: number; support: SimulateSupport },
): Promise<RemitProbe> {
  if (support.isLacking) return NOT_PROBED
  const many = await simulateRemits(rpc, view, { contract, caller, calls, gas: CALL_GAS })
  if (many === 'lacking') {
    support.noteLacking()
    return NOT_PROBED
  }
  if (many !== REFUSED && !isSilent(many)) return many
  const one = await simulateRemits(rpc, view, { contract, caller, calls: 1 })
  if (one !== REFUSED && one !== 'lacking') return one
  return many === REFUSED ? NOT_PROBED : many
}

/** Whether the first call already failed without a reason: with more gas it may do better. */
function isSilent({ calls, revert }: RemitProbe): boolean {
  return calls.length === 0 && revert?.data === '0x'
}

async function simulateRemits(
  rpc: Rpc,
  view: PinnedView,
  plan: { contract: Address; caller: Address; calls: number; gas?: bigint },
): Promise<RemitProbe | typeof REFUSED | 'lacking'> {
  const { contract, caller, calls, gas } = plan
  const data = encodeFunctionData({ abi: ISubscriptions.abi, functionName: 'remit' })
  const call = { from: caller, to: contract, data, ...(gas === undefined ? {} : { gas: numberToHex(gas) }) }
  const roomy = gas === undefined ? {} : { gasLimit: numberToHex(gas * BigInt(calls)) }
  const block = {
    blockOverrides: { ...nextBlock(view), ...roomy },
    calls: Array.from({ length: calls }, () => call),
  }
  const request = { blockStateCalls: [block], validation: false, traceTransfers: false }
  const ofThese = SimulatedBlock.refine(([{ calls: answered }]) => answered.length === calls)
  try {
    const [simulated] = await rpc.request('eth_simulateV1', [request, view.pin], ofThese, view)
    return toProbe(simulated.calls, contract)
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) throw error
    return lacksMethod(error) ? 'lacking' : REFUSED
  }
}

type SimulatedCall = Parameters<typeof toProbe>[0][number]

function toProbe(
  simulated: readonly {
    status: bigint
    returnData: `0x${string}`
    logs?: Parameters<typeof observeRemit>[0] | null | undefined
    error?: { message: string } | null | undefined
  }[],
  contract: Address,
): RemitProbe {
  const calls: ObservedRemit[] = []
  for (const call of simulated) {
    if (call.status !== 1n) return { method: 'eth_simulateV1', calls, revert: revertOf(call) }
    const observed = observeRemit(call.logs ?? [], contract)
    // Whatever answers here is not the protocol's contract; the proof will say so.
    if (observed === undefined) return NOT_PROBED
    calls.push(observed)
  }
  return { method: 'eth_simulateV1', calls, revert: undefined }
}

function revertOf({ returnData: data, error }: SimulatedCall): RemitFailure {
  return { data, ranOutOfGas: data === '0x' && saysOutOfGas(error?.message) }
}
