import type { Address } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { PlannedCall } from '../ports/proof.ts'
import type { GasEstimate } from '../schema/transaction.ts'

/** Room for state that changes between the proof and the block: one more storage slot to fill costs 17,100, and a little more. */
const DRIFT_GAS = 25_000n

/** How much gas one call takes, and how that is known. */
export interface CallGas {
  /** The most gas that the call had used at any moment, before refunds, which come only at its end. */
  readonly peakGas: bigint
  readonly source: GasEstimate['source']
}

/**
 * The most gas that a call can have used before refunds, from what it cost after them. Refunds give back a fifth at
 * most (EIP-3529).
 */
export function peakBeforeRefunds(gasUsed: bigint): bigint {
  return ceilDiv(gasUsed * 5n, 4n)
}

/**
 * The gas limit to sign with: 16/15 of the peak and 25,000.
 *
 * Each call into another contract passes on 63/64 of the gas that is left, so a call that is four deep needs
 * (64/63)^4 = 1.065 of its peak. The 25,000 are for state that changes meanwhile. The limit is never above the chain's
 * cap, with which the call was seen to succeed.
 */
export function limitFor(peakGas: bigint, gasCap?: bigint): bigint {
  const limit = ceilDiv(peakGas * 16n, 15n) + DRIFT_GAS
  return gasCap !== undefined && limit > gasCap ? gasCap : limit
}

/**
 * A gas limit that suffices for the call alone when `from` sends it on the view's block; `undefined` if it reverts or
 * needs more than `gas`.
 */
export async function readEstimate(
  blocks: BlockReader,
  view: BlockView,
  from: Address,
  { to, data, value }: Pick<PlannedCall, 'to' | 'data' | 'value'>,
  gas?: bigint,
): Promise<bigint | undefined> {
  const call = { from, to, data, value }
  const answer = await blocks.estimateGas(view, gas === undefined ? call : { ...call, gas })
  if (answer.kind === 'reverted') return undefined
  if (answer.kind !== 'result') throw answer.error
  return answer.result
}

/** The lower of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The higher of two amounts. */
export function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
