import type { NodeLog } from '../../../core/ports/node.ts'
import { HISTORY_TOPICS } from '../../../protocol/logs/historyTopics.ts'

export function groupByBlock(logs: readonly NodeLog[]): Map<number, NodeLog[]> {
  const groups = new Map<number, NodeLog[]>()
  for (const log of logs) {
    const group = groups.get(log.blockNumber)
    if (group === undefined) groups.set(log.blockNumber, [log])
    else group.push(log)
  }
  return groups
}

/** The logs of the events that the index keeps. Receipts hold others too, and some nodes ignore topic filters. */
export function keptLogs(logs: readonly NodeLog[]): NodeLog[] {
  return logs.filter(({ topics }) => HISTORY_TOPICS.some((topic) => topic === topics[0]))
}

/** A text that is the same only for the same logs in the same order. */
export function digestOf(logs: readonly NodeLog[]): string {
  return keptLogs(logs)
    .map(({ blockNumber, blockHash, logIndex, transactionHash, topics, data }) =>
      [blockNumber, blockHash, logIndex, transactionHash, ...topics, data].join(),
    )
    .join(';')
}
