import type { EncodedLog } from '@remit/protocol/logs/events'
import type { Address, Hex } from 'viem'
import type { PlannedCall } from '../ports/proof.ts'
import type { CallFailure } from './callFailure.ts'
import type { CallGas } from './callGas.ts'

// The shapes in which every method of running a plan's batches tells what came of it, and what the methods share. The methods
// are in the files beside; `batchRunner.ts` chooses.

/** One call of a batch that was run. */
export interface CallRun {
  /** False only by the method `partial`: the call reverted when it was run alone, which proves nothing. */
  readonly success: boolean
  /** What it cost after refunds, with a transaction's own cost. */
  readonly gasUsed: bigint
  readonly gas: CallGas
  /** `null` if the method does not show logs. */
  readonly logs: readonly EncodedLog[] | null
}

/** What an account gained of a token, or lost, in its smallest unit. Never 0. */
export interface TokenDelta {
  readonly account: Address
  readonly token: Address
  readonly delta: bigint
}

/** A batch in which every call that could be run succeeded. */
export interface BatchSuccess {
  readonly ok: true
  readonly calls: readonly CallRun[]
  readonly deltas: readonly TokenDelta[]
}

/** A batch that reverts. */
export interface BatchFailure {
  readonly ok: false
  readonly callIndex: number
  readonly failure: CallFailure
  /** Present if the call needs more gas than a transaction may have, with how much, if that is known. */
  readonly overCap?: { readonly gasNeeded: bigint | undefined }
}

export type BatchRun = BatchSuccess | BatchFailure

/**
 * What each batch of a plan does, and by which method that was found out: all calls in order as one state (eth_simulateV1, or
 * eth_call of an executor), or `partial`. Then each call was run alone, without those before it. If the first one reverts, so does
 * the batch; a later one may need an earlier one.
 */
export interface BatchRuns {
  readonly method: 'eth_simulateV1' | 'eth_call' | 'partial'
  /** One for each batch, in the plan's order. */
  readonly batches: readonly BatchRun[]
}

/** What is to be run. */
export interface BatchPlan {
  readonly from: Address
  readonly batches: readonly (readonly PlannedCall[])[]
}

const TRANSACTION_GAS = 21_000n

/** What a transaction costs before its first instruction (EIP-2028), or at least for its data (EIP-7623). */
export function intrinsicGas(data: Hex): { readonly base: bigint; readonly floor: bigint } {
  const bytes = data.slice(2).match(/../g) ?? []
  const zeros = BigInt(bytes.filter((byte) => byte === '00').length)
  const tokens = zeros + (BigInt(bytes.length) - zeros) * 4n
  return { base: TRANSACTION_GAS + tokens * 4n, floor: TRANSACTION_GAS + tokens * 10n }
}

/** Equal for equal calls. The batches of one plan share most of their calls. */
function callKey({ to, data, value }: Pick<PlannedCall, 'to' | 'data' | 'value'>): string {
  return `${to}:${value}:${data}`.toLowerCase()
}

/** Asks once for every different call of a plan, all in one tick. */
export async function forEachCall<T>(
  plan: BatchPlan,
  ask: (call: PlannedCall) => Promise<T>,
): Promise<(call: PlannedCall) => T | undefined> {
  const calls = new Map(plan.batches.flat().map((call) => [callKey(call), call]))
  const answers = new Map(
    await Promise.all([...calls].map(async ([key, call]) => [key, await ask(call)] as const)),
  )
  return (call) => answers.get(callKey(call))
}
