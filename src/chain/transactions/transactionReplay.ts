import type { RevertReason } from '../../schema/transaction.ts'
import type { BlockReader } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { type CallFailure, revertReason } from '../simulation/simulateReverts.ts'
import type { NodeReceipt, NodeTransaction } from './nodeTransaction.ts'

/** What a replay shows: how it fails, or that it passes. `undefined` if the node cannot replay it. */
type Replay = CallFailure | 'passes' | undefined

/**
 * Why a transaction reverted; `null` if replays do not show it.
 *
 * It is replayed on the parent block. The transactions before it in its own block are missing there. So if that replay
 * passes, a replay at the end of its own block counts. All replays go out in one tick.
 */
export async function replayReason(
  blocks: BlockReader,
  { signal }: { readonly signal?: AbortSignal },
  transaction: NodeTransaction,
  { blockNumber, blockHash }: NodeReceipt,
): Promise<RevertReason | null> {
  const own: AtBlock = { asOf: { blockNumber, blockHash }, ...(signal === undefined ? {} : { signal }) }
  const { gas } = transaction
  const [atParent, atEnd, withMoreGas] = await Promise.all([
    replay(blocks, own, transaction, { onParent: true, gas }),
    replay(blocks, own, transaction, { onParent: false, gas }),
    replay(blocks, own, transaction, { onParent: true }),
  ])
  if (isFailure(atParent)) {
    // A call that runs out of gas inside another leaves an empty revert. A replay with more gas tells the two apart.
    const ranOutOfGas = atParent.ranOutOfGas || (atParent.data === '0x' && withMoreGas === 'passes')
    return revertReason({ ...atParent, ranOutOfGas })
  }
  return isFailure(atEnd) ? revertReason(atEnd) : null
}

function isFailure(replayed: Replay): replayed is CallFailure {
  return typeof replayed === 'object'
}

/** @param options.gas as signed. Without it, the call gets what the node allows */
async function replay(
  blocks: BlockReader,
  own: AtBlock,
  { from, to, input, value }: NodeTransaction,
  { onParent, gas }: { readonly onParent: boolean; readonly gas?: bigint },
): Promise<Replay> {
  const call = { from, ...(to ? { to } : {}), data: input, value, ...(gas === undefined ? {} : { gas }) }
  const answer = await blocks.call(own, call, { onParent })
  if (answer.kind === 'result') return 'passes'
  // A node without the state of an old block cannot say why. The outcome is known all the same.
  return answer.kind === 'reverted' ? answer : undefined
}
