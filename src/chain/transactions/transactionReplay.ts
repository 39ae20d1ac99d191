import { numberToHex } from 'viem'
import type { RevertReason } from '../../schema/transaction.ts'
import type { BlockPin, BlockView } from '../block/simulateBlock.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import { type Rpc, RpcResponseError } from '../rpc/rpc.ts'
import { type CallFailure, callFailure, revertReason } from '../simulation/simulateReverts.ts'
import type { NodeReceipt, NodeTransaction } from './transactions.ts'

/** What a replay shows: how it fails, that it passes, or nothing where the node cannot replay it. */
type Replay = CallFailure | 'passes' | undefined

/**
 * Why a transaction reverted, as far as replays can tell; `null` where they cannot.
 *
 * It is replayed on the parent block. What stood before it in its own block is missing there, so where that
 * replay passes, one at the end of its own block is believed. All replays go out in one tick.
 */
export async function replayReason(
  rpc: Rpc,
  view: BlockView,
  transaction: NodeTransaction,
  { blockNumber, blockHash }: NodeReceipt,
): Promise<RevertReason | null> {
  const parent = numberToHex(Math.max(0, blockNumber - 1))
  const { gas } = transaction
  const [atParent, atEnd, withMoreGas] = await Promise.all([
    replay(rpc, view, transaction, parent, gas),
    replay(rpc, view, transaction, { blockHash }, gas),
    replay(rpc, view, transaction, parent),
  ])
  if (isFailure(atParent)) {
    // A call that runs out of gas inside another leaves an empty revert, which only more gas can tell apart.
    const ranOutOfGas = atParent.ranOutOfGas || (atParent.data === '0x' && withMoreGas === 'passes')
    return revertReason({ ...atParent, ranOutOfGas })
  }
  return isFailure(atEnd) ? revertReason(atEnd) : null
}

function isFailure(replayed: Replay): replayed is CallFailure {
  return typeof replayed === 'object'
}

/** @param gas as signed; what the node allows where it is left out */
async function replay(
  rpc: Rpc,
  view: BlockView,
  { from, to, input, value, gas: _ }: NodeTransaction,
  block: BlockPin,
  gas?: bigint,
): Promise<Replay> {
  const request = {
    from,
    ...(to ? { to } : {}),
    data: input,
    value: numberToHex(value),
    ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
  }
  try {
    await rpc.request('eth_call', [request, block], NodeBytes, view)
    return 'passes'
  } catch (error) {
    // A node without the state of an old block cannot say why; what became of the transaction stands.
    if (error instanceof RpcResponseError) return callFailure(error)
    throw error
  }
}
