import type { Hex } from 'viem'
import { BlockGoneError } from '../../core/ports/chains.ts'
import type { BlockRef } from '../../core/ports/history.ts'
import type { ChainNode } from '../../core/ports/node.ts'
import type { ScheduleTerms } from '../projection.ts'
import { SourceError, type Step } from '../source.ts'

/**
 * Reads the frequency and due day of each subscription that a step creates. Their logs do not carry them.
 *
 * An id is made of wallet, nonce and time, so after a reorganisation the same id may have other terms. So they are
 * read on the chain of the step's last block.
 * @throws SourceError if the chain does not know a subscription that was logged as created
 * @throws BlockGoneError if the step's last block is no longer on the chain
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
  const isFinal = to.number <= finalizedBlock
  const { head } = isFinal ? await node.head(signal) : { head: to }
  // Final terms are the same at the head, whose state every node has. The head may have been seen before the step's end.
  const at = head.number > to.number ? head : to
  const terms = await node.schedules([...ids], at, signal).catch((error: unknown) => {
    // The block was reorganised away, or its state is too old for the nodes.
    if (error instanceof BlockGoneError && at === to) return readAbove(node, [...ids], to, error, signal)
    throw error
  })
  for (const id of ids) {
    if (!terms.has(id)) {
      throw new SourceError(`The chain does not know subscription ${id}, which its logs say was created.`)
    }
  }
  return terms
}

/** Reads at the head if that is above `block`, on the same chain: terms never change. */
async function readAbove(
  node: ChainNode,
  ids: readonly Hex[],
  block: BlockRef,
  gone: BlockGoneError,
  signal: AbortSignal,
) {
  const { head } = await node.head(signal)
  // A head that was seen before the block came may not know the subscription yet.
  if (head.number < block.number) throw gone
  const terms = await node.schedules(ids, head, signal)
  // If one node has both blocks, they are on the same chain.
  const [below, above] = await node.headers([block.number, head.number], signal)
  if (below?.hash !== block.hash || above?.hash !== head.hash) {
    throw new BlockGoneError(`block ${block.number} was reorganised away while its events were read`)
  }
  return terms
}
