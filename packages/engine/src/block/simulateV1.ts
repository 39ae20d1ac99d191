import { type Address, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { NodeBytes, NodeHash, NodeLog, Quantity } from '../rpc/quantity.ts'
import { saysOutOfGas } from '../rpc/refusal.ts'

// eth_simulateV1 as nodes have it: what is asked, and what comes back. BlockReader sends it.

/** A call that a node is to run, without sending it. Without `gas` the node chooses the limit. `value` is in wei. */
export interface NodeCall {
  readonly from?: Address
  /** Left out for a creation. */
  readonly to?: Address
  readonly data: Hex
  readonly value?: bigint
  readonly gas?: bigint
}

/** One call of a simulation. Without `gas` the node gives it what its block has left. */
export interface SimulationCall extends NodeCall {
  readonly from: Address
  readonly to: Address
}

/** What a call reverted with stands in `returnData` of anvil and reth; geth leaves that empty and has it in `error`. */
const SimulatedCall = z
  .object({
    status: Quantity,
    gasUsed: Quantity,
    returnData: NodeBytes,
    logs: z.array(NodeLog).nullish(),
    error: z.object({ message: z.string(), data: NodeBytes.nullish().catch(undefined) }).nullish(),
  })
  .transform(({ returnData, ...call }) => ({
    ...call,
    returnData: returnData === '0x' ? (call.error?.data ?? returnData) : returnData,
  }))

export type SimulatedCall = z.output<typeof SimulatedCall>

/** The number and time that calls are run with in the block after a view's. */
export interface NextBlock {
  readonly number: Hex
  readonly time: Hex
}

/**
 * What eth_simulateV1 takes, beside the block that it runs on: one block of calls, in order, as one state.
 *
 * Validation is off, so that a wallet without gas money still learns what its calls would do. Where every call
 * names its gas, the block has room for all of them.
 */
export function simulationRequest(calls: readonly SimulationCall[], next: NextBlock) {
  const asked = gasAsked(calls)
  const room = asked === undefined ? {} : { gasLimit: numberToHex(asked) }
  const block = { blockOverrides: { ...next, ...room }, calls: calls.map(toWireCall) }
  return { blockStateCalls: [block], validation: false, traceTransfers: false }
}

/** The block that a simulation says it was run on: anvil gives zeros. */
const NO_HASH = `0x${'0'.repeat(64)}`

/** What a simulation did, and on top of which block, where the node says so. */
export interface Simulation {
  readonly calls: readonly SimulatedCall[]
  readonly parentHash: Hex | undefined
}

/** The answer to `simulationRequest`, with a row for each of the calls. */
export function simulationAnswer(calls: readonly SimulationCall[]) {
  return z
    .tuple([z.object({ parentHash: NodeHash.nullish(), calls: z.array(SimulatedCall) })])
    .refine(([block]) => block.calls.length === calls.length)
    .transform(([{ parentHash, calls }]): Simulation => {
      return { calls, parentHash: parentHash === NO_HASH ? undefined : (parentHash ?? undefined) }
    })
}

/** The gas that calls ask for together; `undefined` if one of them leaves it to the node. */
export function gasAsked(calls: readonly Pick<NodeCall, 'gas'>[]): bigint | undefined {
  return calls.reduce<bigint | undefined>(
    (sum, { gas }) => (sum === undefined || gas === undefined ? undefined : sum + gas),
    0n,
  )
}

export function toWireCall({ from, to, data, value, gas }: NodeCall) {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
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
