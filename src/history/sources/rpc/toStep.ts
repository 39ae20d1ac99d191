import type { Step } from '../../source.ts'
import { blockOf } from '../blockOf.ts'
import { toEvents } from '../toEvents.ts'
import type { CheckedRange } from './checkRange.ts'

/**
 * The step that a range makes.
 * @throws SourceError where a log cannot be read
 */
export function toStep(read: CheckedRange): Step {
  return {
    ancestor: blockOf(read.base),
    to: blockOf(read.last),
    finalizedBlock: read.finalizedBlock,
    events: toEvents(read.logs),
    blocks: read.headers.map(blockOf),
  }
}
