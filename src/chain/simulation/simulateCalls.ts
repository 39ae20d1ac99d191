import { type Address, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { nextBlock, type PinnedView } from '../block/simulateBlock.ts'
import { NodeBytes, NodeLog, Quantity } from '../rpc/quantity.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'
import { saysOutOfGas } from './simulateReverts.ts'

/** One call of a simulation. Without `gas` the node gives it what its block has left. */
export interface SimulationCall {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
  readonly gas?: bigint
}

const SimulatedCall = z.object({
  status: Quantity,
  gasUsed: Quantity,
  returnData: NodeBytes,
  logs: z.array(NodeLog).nullish(),
  error: z.object({ message: z.string() }).nullish(),
})

export type SimulatedCall = z.output<typeof SimulatedCall>

/** eth_simulateV1 over one block of calls. */
const SimulatedBlock = z.tuple([z.object({ calls: z.array(SimulatedCall) })])

/** The node does not have the method, or will not simulate these calls. */
export type SimulationRefusal = 'lacking' | 'refused'

export function isRefusal<Answer>(answer: Answer | SimulationRefusal): answer is SimulationRefusal {
  return answer === 'lacking' || answer === 'refused'
}

/**
 * Runs calls in order, as one state, in the block after a view's, by eth_simulateV1. One HTTP request.
 *
 * Validation is off, so that a wallet without gas money still learns what its calls would do. Where every call
 * names its gas, the block has room for all of them.
 */
export async function simulateCalls(
  rpc: Rpc,
  view: PinnedView,
  calls: readonly SimulationCall[],
): Promise<readonly SimulatedCall[] | SimulationRefusal> {
  const asked = calls.reduce<bigint | undefined>(
    (sum, { gas }) => (sum === undefined || gas === undefined ? undefined : sum + gas),
    0n,
  )
  const room = asked === undefined ? {} : { gasLimit: numberToHex(asked) }
  const block = { blockOverrides: { ...nextBlock(view), ...room }, calls: calls.map(wireCall) }
  const request = { blockStateCalls: [block], validation: false, traceTransfers: false }
  const ofThese = SimulatedBlock.refine(([{ calls: answered }]) => answered.length === calls.length)
  try {
    const [simulated] = await rpc.request('eth_simulateV1', [request, view.pin], ofThese, view)
    return simulated.calls
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) throw error
    return lacksMethod(error) ? 'lacking' : 'refused'
  }
}

function wireCall({ from, to, data, value, gas }: SimulationCall) {
  return {
    from,
    to,
    data,
    ...(value === undefined ? {} : { value: numberToHex(value) }),
    ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
  }
}

/**
 * Whether a failed call had too little gas: a call that runs out deep inside leaves its callers a 64th at each
 * step, and they may still revert with a reason of their own.
 * @param gas what it was given, where that is known
 */
export function ranOutOfGas({ returnData, gasUsed, error }: SimulatedCall, gas: bigint | undefined): boolean {
  if (gas !== undefined && gasUsed * 10n >= gas * 9n) return true
  // A token may revert with any text, "out of gas" too: data means that it was a revert.
  return returnData === '0x' && saysOutOfGas(error?.message)
}

const LACKING_CODES = new Set([-32601, -32004])
const LACKING =
  /(method|eth_simulatev1).{0,80}(not (found|supported|available|exist|implemented|enabled|allowed|whitelisted)|unknown|disabled)|unsupported method|unknown method/i

/** Whether a node said that it does not have the method, rather than that it will not do this one thing. */
export function lacksMethod({ code, message }: RpcResponseError): boolean {
  return LACKING_CODES.has(code) || LACKING.test(message)
}
