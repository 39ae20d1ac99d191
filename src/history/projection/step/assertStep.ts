import type { BlockRef } from '../../../core/history.ts'
import type { Step } from '../../source.ts'

/** Throws where a source has broken its promise about a step: written, it would make wrong rows. */
export function assertStep(from: BlockRef, { ancestor, to, events, blocks }: Step): void {
  if (ancestor.number > from.number || to.number < ancestor.number) {
    throw new Error(`a step from block ${from.number} over ${ancestor.number} to ${to.number} leads nowhere`)
  }
  if (ancestor.number === from.number && ancestor.hash.toLowerCase() !== from.hash.toLowerCase()) {
    throw new Error(
      `a step keeps block ${ancestor.number}, but of another chain than the one it is made from`,
    )
  }
  let [block, log] = [ancestor.number, Number.MAX_SAFE_INTEGER]
  for (const { blockNumber, logIndex } of events) {
    if (blockNumber > to.number || blockNumber < block || (blockNumber === block && logIndex <= log)) {
      throw new Error(`a step to block ${to.number} has its event ${blockNumber}/${logIndex} out of place`)
    }
    block = blockNumber
    log = logIndex
  }
  for (const { number } of blocks) {
    if (number > ancestor.number && number <= to.number) continue
    throw new Error(`a step over (${ancestor.number}, ${to.number}] would remember block ${number}`)
  }
}
