import { decodeProtocolLog, decodeTokenLog } from '@remit/protocol/logs/events'
import { HISTORY_TOPICS } from '@remit/protocol/logs/wantedLogs'
import { type Address, isAddressEqual } from 'viem'
import type { NodeLog } from '../../ports/nodes.ts'
import { type PlacedApproval, type PlacedEvent, SourceError } from '../../ports/source.ts'

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
    // UList and Coordinates have other topics than those above. Naming them leaves the type of the events that are kept.
    if (event === undefined || event.type === 'UList' || event.type === 'Coordinates') {
      throw new SourceError(
        `Log ${logIndex} of block ${blockNumber} cannot be read: it is the contract's and begins like an event that it has.`,
      )
    }
    events.push({ event, blockNumber, blockHash, logIndex, transactionHash })
  }
  return events
}

/**
 * The approvals among wanted logs, in their order. Of several by one owner of one token in one transaction only the last
 * counts: it is the allowance that stands, and filling the index with rows costs a transaction each. A log that cannot be
 * decoded is left out: a token may log what it likes.
 */
export function toApprovals(logs: readonly NodeLog[], contract: Address): PlacedApproval[] {
  const last = new Map<string, PlacedApproval>()
  for (const log of logs) {
    if (isAddressEqual(log.address, contract)) continue
    const event = decodeTokenLog(log)
    if (event?.type !== 'Approval' || !isAddressEqual(event.spender, contract)) continue
    const { address: token, blockNumber, blockHash, logIndex, transactionHash } = log
    const { owner, amountRaw } = event
    const key = `${transactionHash} ${token} ${owner}`
    last.delete(key)
    last.set(key, { owner, token, amountRaw, blockNumber, blockHash, logIndex, transactionHash })
  }
  return [...last.values()]
}
