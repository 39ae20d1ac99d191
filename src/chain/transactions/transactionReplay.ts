import type { RevertReason } from '../../core/transactions.ts'
import type { BlockReader } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { type CallFailure, revertReason } from '../simulation/simulateReverts.ts'
import type { NodeReceipt, NodeTransaction } from './nodeTransaction.ts'

/** What a replay shows: how it fails, that it passes, or nothing where the node cannot replay it. */
type Replay = CallFailure | 'passes' | undefined

/**
 * Why a transaction reverted, as far as replays can tell; `null` where they cannot.
 *
 * It is replayed on the parent block. What stood before it in its own block is missing there, so where that
 * replay passes, one at the end of its own block is believed. All replays go out in one tick.
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
    // A call that runs out of gas inside another leaves an empty revert, which only more gas can tell apart.
    const ranOutOfGas = atParent.ranOutOfGas || (atParent.data === '0x' && withMoreGas === 'passes')
    return revertReason({ ...atParent, ranOutOfGas })
  }
  return isFailure(atEnd) ? revertReason(atEnd) : null
}

function isFailure(replayed: Replay): replayed is CallFailure {
  return typeof replayed === 'object'
}

/** @param options.gas as signed; what the node allows where it is left out */
async function replay(
  blocks: BlockReader,
  own: AtBlock,
  { from, to, input, value }: NodeTransaction,
  { onParent, gas }: { readonly onParent: boolean; readonly gas?: bigint },
): Promise<Replay> {
  const call = { from, ...(to ? { to } : {}), data: input, value, ...(gas === undefined ? {} : { gas }) }
  const answer = await blocks.call(own, call, { onParent })
  if (answer.kind === 'result') return 'passes'
  // A node without the state of an old block cannot say why; what became of the transaction stands.
  return answer.kind === 'reverted' ? answer : undefined
}
