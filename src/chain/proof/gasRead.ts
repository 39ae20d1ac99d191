import { type Address, numberToHex } from 'viem'
import type { PlannedCall } from '../../core/ports/proof.ts'
import type { PinnedView } from '../block/simulateBlock.ts'
import { Quantity } from '../rpc/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { callFailure } from '../simulation/simulateReverts.ts'
import { FEE_HISTORY_BLOCKS, FeeHistory, feesFrom, type GasFees, REWARD_PERCENTILE } from './gas.ts'

/** Today's fees. They are no part of the state, so they come from the newest block, whatever the view's is. */
export async function readFees(rpc: Rpc, view: PinnedView): Promise<GasFees> {
  const params = [numberToHex(FEE_HISTORY_BLOCKS), 'latest', [REWARD_PERCENTILE]]
  return feesFrom(await rpc.request('eth_feeHistory', params, FeeHistory, view))
}

/**
 * A limit that suffices for the call alone when `from` sends it, at the view's block and time; `undefined`
 * where it reverts, or needs more than `gas`.
 */
export async function readEstimate(
  rpc: Rpc,
  view: PinnedView,
  from: Address,
  { to, data, value }: Pick<PlannedCall, 'to' | 'data' | 'value'>,
  gas?: bigint,
): Promise<bigint | undefined> {
  const bound = gas === undefined ? {} : { gas: numberToHex(gas) }
  const request = { from, to, data, value: numberToHex(value), ...bound }
  try {
    return await rpc.request('eth_estimateGas', [request, view.pin], Quantity, view)
  } catch (error) {
    if (callFailure(error) === undefined) throw error
    return undefined
  }
}
