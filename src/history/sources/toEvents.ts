import type { NodeLog } from '../../core/ports/node.ts'
import { decodeProtocolLog } from '../../protocol/logs/events.ts'
import { HISTORY_TOPICS } from '../../protocol/logs/historyTopics.ts'
import { type PlacedEvent, SourceError } from '../source.ts'

/**
 * Decodes the events that the index keeps, in the order of the logs. Other events of the contract are skipped.
 * @throws SourceError if a log has the topic of such an event but cannot be decoded
 */
export function toEvents(logs: readonly NodeLog[]): PlacedEvent[] {
  const events: PlacedEvent[] = []
  for (const log of logs) {
    if (!HISTORY_TOPICS.some((topic) => topic === log.topics[0])) continue
    const { blockNumber, blockHash, logIndex, transactionHash } = log
    const event = decodeProtocolLog(log)
    if (event === undefined || event.type === 'UList' || event.type === 'Coordinates') {
      throw new SourceError(
        `Log ${logIndex} of block ${blockNumber} cannot be read: it is the contract's and begins like an event that it has.`,
      )
    }
    events.push({ event, blockNumber, blockHash, logIndex, transactionHash })
  }
  return events
}
