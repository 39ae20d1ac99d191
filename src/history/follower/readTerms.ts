import type { Hex } from 'viem'
import { BlockGoneError } from '../../core/chains.ts'
import type { BlockRef } from '../../core/history.ts'
import type { ChainNode } from '../../core/node.ts'
import type { ScheduleTerms } from '../projection.ts'
import { SourceError, type Step } from '../source.ts'

/**
 * The terms that the logs of a step's creations do not carry, of every subscription that it creates.
 *
 * An id is made of wallet, nonce and time: a block that takes the place of another may give the same id
 * other terms. So they are read on the chain of the step's last block, and never guessed.
 * @throws SourceError where the chain does not know a subscription that was logged as created
 * @throws BlockGoneError where the step's last block is no longer in the chain
 */
export async function readTerms(
  node: ChainNode,
  { events, to, finalizedBlock }: Pick<Step, 'events' | 'to' | 'finalizedBlock'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<Hex, ScheduleTerms>> {
  const ids = new Set<Hex>()
  for (const { event } of events) {
    if (event.type === 'SubLog' && event.eventName === 'Created') ids.add(event.id)
  }
  if (ids.size === 0) return new Map()
  // What is final holds at the head too, whose state every node has.
  const isFinal = to.number <= finalizedBlock
  const terms = isFinal
    ? await node.schedules([...ids], (await node.head(signal)).head, signal)
    : await node.schedules([...ids], to, signal).catch((error: unknown) => {
        // Gone, or only too old for a node that forgets states quickly.
        if (error instanceof BlockGoneError) return readAbove(node, [...ids], to, signal)
        throw error
      })
  for (const id of ids) {
    if (!terms.has(id)) {
      throw new SourceError(`The chain does not know subscription ${id}, which its logs say was created.`)
    }
  }
  return terms
}

/** Reads at the head, where that stands on `block`: terms never change. */
async function readAbove(node: ChainNode, ids: readonly Hex[], block: BlockRef, signal: AbortSignal) {
  const { head } = await node.head(signal)
  const terms = await node.schedules(ids, head, signal)
  // One node's chain that holds both shows that one stands on the other.
  const [below, above] = await node.headers([block.number, head.number], signal)
  if (below?.hash !== block.hash || above?.hash !== head.hash) {
    throw new BlockGoneError(`block ${block.number} was reorganised away while its events were read`)
  }
  return terms
}
