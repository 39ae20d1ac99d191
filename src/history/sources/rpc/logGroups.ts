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

/** Those that a history is made of: receipts, and nodes that do not know filters by topic, give others too. */
export function keptLogs(logs: readonly NodeLog[]): NodeLog[] {
  return logs.filter(({ topics }) => HISTORY_TOPICS.some((topic) => topic === topics[0]))
}

/** Equal for equal logs in equal order, and for no others. */
export function digestOf(logs: readonly NodeLog[]): string {
  return keptLogs(logs)
    .map(({ blockHash, logIndex, transactionHash, topics, data }) =>
      [blockHash, logIndex, transactionHash, ...topics, data].join(),
    )
    .join(';')
}
