import type { NodeLog } from '../../core/ports/node.ts'
import { decodeProtocolLog } from '../../protocol/logs/events.ts'
import { HISTORY_TOPICS } from '../../protocol/logs/historyTopics.ts'
import { type PlacedEvent, SourceError } from '../source.ts'

/**
 * The events that a history is made of, in the order of the logs; the contract's others are passed over.
 * @throws SourceError where a log that begins like one of them is none
 */
export function toEvents(logs: readonly NodeLog[]): PlacedEvent[] {
  const events: PlacedEvent[] = []
  for (const log of logs) {
    if (!HISTORY_TOPICS.some((topic) => topic === log.topics[0])) continue
    const { blockNumber, logIndex, transactionHash } = log
    const event = decodeProtocolLog(log)
    if (event?.type !== 'SubLog' && event?.type !== 'DetailsLog' && event?.type !== 'ProvDetailsLog') {
      throw new SourceError(
        `Log ${logIndex} of block ${blockNumber} cannot be read: it is the contract's and begins like an event that it has.`,
      )
    }
    events.push({ event, blockNumber, logIndex, transactionHash })
  }
  return events
}
