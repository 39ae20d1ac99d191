import { isWanted, type WantedLogs } from '@remit/protocol/logs/wantedLogs'
import type { Address } from 'viem'
import type { NodeLog } from '../../ports/nodes.ts'
import { groupBy } from '../groupBy.ts'

export function groupByBlock(logs: readonly NodeLog[]): Map<number, NodeLog[]> {
  return groupBy(logs, ({ blockNumber }) => blockNumber)
}

/** The logs that the index keeps. Receipts hold others too, and some nodes ignore topic filters. */
export function keptLogs(logs: readonly NodeLog[], contract: Address, wanted: WantedLogs): NodeLog[] {
  return logs.filter((log) => isWanted(log, contract, wanted))
}

/** A text that is the same only for the same logs in the same order. */
export function digestOf(logs: readonly NodeLog[]): string {
  return logs
    .map(({ address, blockNumber, blockHash, logIndex, transactionHash, topics, data }) =>
      [address, blockNumber, blockHash, logIndex, transactionHash, ...topics, data].join(),
    )
    .join(';')
}
