import type { Address } from 'viem'
import type { NodeHeader, NodeLog } from '../../../core/node.ts'
import { HISTORY_TOPICS } from '../../../protocol/historyTopics.ts'
import { isEmpty, isTelling, mayHold, parseBloom } from '../../../protocol/logsBloom.ts'
import { SourceError } from '../../source.ts'
import { groupByBlock } from './logGroups.ts'

/** What the blooms of a range's headers say of its logs. */
export interface BloomFindings {
  /** Blocks that seem to hold logs of ours of a kind that did not come. Some do by chance. */
  readonly suspects: readonly NodeHeader[]
  /** Whether the bloom of some block is too full to tell. */
  readonly someAreMute: boolean
}

/**
 * Holds the logs that came against the blooms of their blocks.
 * @throws SourceError where a log came that its block's bloom excludes
 */
export function findSuspects(
  headers: readonly NodeHeader[],
  logs: readonly NodeLog[],
  contract: Address,
): BloomFindings {
  const logsByBlock = groupByBlock(logs)
  const suspects: NodeHeader[] = []
  let someAreMute = false
  for (const header of headers) {
    const bloom = parseBloom(header.logsBloom)
    const came = logsByBlock.get(header.number) ?? []
    // A chain that makes no blooms leaves them empty.
    if (isEmpty(bloom)) {
      someAreMute ||= came.length > 0
      continue
    }
    for (const { topics, logIndex } of came) {
      if ([contract, ...topics].every((value) => mayHold(bloom, value))) continue
      throw new SourceError(
        `The node gave log ${logIndex} of block ${header.number}, which the block's bloom excludes.`,
      )
    }
    if (!isTelling(bloom)) {
      someAreMute = true
      continue
    }
    if (!mayHold(bloom, contract)) continue
    const kinds = new Set(came.map(({ topics }) => topics[0]))
    if (HISTORY_TOPICS.some((topic) => !kinds.has(topic) && mayHold(bloom, topic))) suspects.push(header)
  }
  return { suspects, someAreMute }
}
