import { dayNumberAt } from '@remit/protocol/calendar'
import type { Hex } from 'viem'
import * as z from 'zod'
import type { BlockReader } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { NodeAddress, NodeBytes, NodeHash, NodeLog, Quantity, SmallQuantity } from '../rpc/quantity.ts'
import type { RevertReason } from '../schema/transaction.ts'
import { type CallFailure, revertReason } from '../simulation/callFailure.ts'

/** A transaction as a node holds it. A deposit of an OP Stack chain may have no nonce. */
export const NodeTransaction = z.object({
  from: NodeAddress,
  to: NodeAddress.nullish(),
  nonce: SmallQuantity.nullish(),
  input: NodeBytes,
  value: Quantity,
  gas: Quantity,
  blockNumber: SmallQuantity.nullish(),
})

export type NodeTransaction = z.output<typeof NodeTransaction>

const PlacedReceipt = z.object({
  blockNumber: SmallQuantity,
  blockHash: NodeHash,
  status: Quantity,
  gasUsed: Quantity,
  logs: z.array(NodeLog),
})

/** The receipt of a transaction that is in no block yet. */
const UnplacedReceipt = z
  .union([z.object({ blockNumber: z.null() }), z.object({ blockHash: z.null() })])
  .transform(() => null)

/** `null` where the transaction is in no block. */
export const NodeReceipt = z.union([PlacedReceipt, UnplacedReceipt]).nullable()

export type NodeReceipt = z.output<typeof PlacedReceipt>

/** The state on which a transaction is replayed, and the block in which. */
interface Place {
  readonly onParent: boolean
  /** The unix time of a next block, in which it is replayed. Without it, it is replayed in the state's own block. */
  readonly inNextBlock?: number
}

/** Creates a contract whose code is the time of the block, so that a call returns the time. */
const TIME: Hex = '0x4260005260206000f3'

/**
 * Why a transaction reverted; `null` if replays do not show it.
 *
 * It is replayed on the parent block. The transactions before it in its own block are missing there. So if that replay
 * passes, a replay at the end of its own block counts. All replays go out in one tick.
 *
 * The first block of a day needs one request more. On its parent it is still the day before, and the contract asks for the
 * day. So the replay is made on the parent at the time of the block itself. Where a node cannot do that, only the replay
 * at the end of the block counts.
 */
export async function replayReason(
  blocks: BlockReader,
  { signal }: { readonly signal?: AbortSignal },
  transaction: NodeTransaction,
  { blockNumber, blockHash }: Pick<NodeReceipt, 'blockNumber' | 'blockHash'>,
): Promise<RevertReason | null> {
  const own: AtBlock = { asOf: { blockNumber, blockHash }, ...(signal === undefined ? {} : { signal }) }
  const [onParent, atEnd, parentTime, time] = await Promise.all([
    failureAt(blocks, own, transaction, { onParent: true }),
    failureAt(blocks, own, transaction, { onParent: false }),
    timeAt(blocks, own, { onParent: true }),
    timeAt(blocks, own, { onParent: false }),
  ])
  const isOneDay =
    parentTime !== undefined && time !== undefined && dayNumberAt(parentTime) === dayNumberAt(time)
  const failure = (isOneDay ? onParent : await failureAtTime(blocks, own, transaction, time)) ?? atEnd
  return failure === undefined ? null : revertReason(failure)
}

/** How it fails on the parent at the time of its own block; `undefined` if it passes or the node cannot tell. */
async function failureAtTime(
  blocks: BlockReader,
  own: AtBlock,
  transaction: NodeTransaction,
  time: number | undefined,
): Promise<CallFailure | undefined> {
  if (time === undefined) return undefined
  const place = { onParent: true, inNextBlock: time }
  // A node may ignore the time that a call is to run at. Then the replay would be of the day before.
  const [failure, ranAt] = await Promise.all([
    failureAt(blocks, own, transaction, place),
    timeAt(blocks, own, place),
  ])
  return ranAt === time ? failure : undefined
}

/** How it fails there; `undefined` if it passes or the node cannot tell. */
async function failureAt(
  blocks: BlockReader,
  own: AtBlock,
  { from, to, input, value, gas }: NodeTransaction,
  place: Place,
): Promise<CallFailure | undefined> {
  const call = { from, ...(to ? { to } : {}), data: input, value }
  const [asSigned, withMoreGas] = await Promise.all([
    blocks.call(own, { ...call, gas }, place),
    // With as much gas as the node allows.
    blocks.call(own, call, place),
  ])
  // A node without the state of an old block cannot say why. The outcome is known all the same.
  if (asSigned.kind !== 'reverted') return undefined
  const { data, ranOutOfGas } = asSigned
  // A call that runs out of gas inside another leaves an empty revert. A replay with more gas tells the two apart.
  return { data, ranOutOfGas: ranOutOfGas || (data === '0x' && withMoreGas.kind === 'result') }
}

/** The time that a call sees; `undefined` if the node cannot tell. */
async function timeAt(blocks: BlockReader, own: AtBlock, place: Place): Promise<number | undefined> {
  const answer = await blocks.call(own, { data: TIME }, place)
  return answer.kind === 'result' && answer.result !== '0x' ? Number(answer.result) : undefined
}
