import {
  APPROVAL_TOPIC,
  HISTORY_TOPICS,
  isEmpty,
  isSparse,
  type LogsBloom,
  mayHold,
  parseBloom,
  spenderTopic,
  type WantedLogs,
} from '@remit/protocol/logs/wantedLogs'
import { type Address, isAddressEqual } from 'viem'
import type { NodeHeader, NodeLog } from '../../ports/nodes.ts'
import { SourceError } from '../../ports/source.ts'
import { groupByBlock } from './logGroups.ts'

/** What the headers' blooms say about the logs of a range. */
interface BloomFindings {
  /** Blocks that may hold logs of an event of which none came. A bloom can say so by chance. */
  readonly suspects: readonly NodeHeader[]
  /** Whether the bloom of some block is too full to exclude anything. */
  readonly someBloomIsFull: boolean
}

/**
 * Compares the logs that came with the blooms of their blocks.
 * @throws SourceError if a block's bloom excludes a log that came
 */
export function findSuspects(
  headers: readonly NodeHeader[],
  logs: readonly NodeLog[],
  contract: Address,
  wanted: WantedLogs,
): BloomFindings {
  const logsByBlock = groupByBlock(logs)
  const suspects: NodeHeader[] = []
  let someBloomIsFull = false
  for (const header of headers) {
    const bloom = parseBloom(header.logsBloom)
    const came = logsByBlock.get(header.number) ?? []
    // Some chains leave all blooms empty.
    if (isEmpty(bloom)) {
      someBloomIsFull ||= came.length > 0
      continue
    }
    for (const { address, topics, logIndex } of came) {
      if ([address, ...topics].every((value) => mayHold(bloom, value))) continue
      throw new SourceError(
        `The node gave log ${logIndex} of block ${header.number}, which the block's bloom excludes.`,
      )
    }
    if (!isSparse(bloom)) {
      someBloomIsFull = true
      continue
    }
    if (lacksHistory(bloom, came, contract, wanted) || lacksApprovals(bloom, came, contract, wanted)) {
      suspects.push(header)
    }
  }
  return { suspects, someBloomIsFull }
}

function lacksHistory(
  bloom: LogsBloom,
  came: readonly NodeLog[],
  contract: Address,
  { history }: WantedLogs,
): boolean {
  if (!history || !mayHold(bloom, contract)) return false
  const kinds = new Set(came.map(({ topics }) => topics[0]))
  return HISTORY_TOPICS.some((topic) => !kinds.has(topic) && mayHold(bloom, topic))
}

function lacksApprovals(
  bloom: LogsBloom,
  came: readonly NodeLog[],
  contract: Address,
  { approvalsOf }: WantedLogs,
): boolean {
  if (![APPROVAL_TOPIC, spenderTopic(contract)].every((topic) => mayHold(bloom, topic))) return false
  const emitters = came.filter(({ topics }) => topics[0] === APPROVAL_TOPIC).map(({ address }) => address)
  return approvalsOf.some(
    (token) => mayHold(bloom, token) && !emitters.some((emitter) => isAddressEqual(emitter, token)),
  )
}
