import { type Address, isAddressEqual } from 'viem'
import type { NodeLog } from '../../core/ports/node.ts'
import { decodeTokenLog } from '../../protocol/logs/events.ts'
import type { PlacedApproval } from '../source.ts'

/**
 * The approvals among wanted logs, in their order. Of several by one owner of one token in one transaction only the last
 * counts: it says what stands, and each row costs whoever wants to fill the index a transaction. A log that cannot be
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
