import { type Address, erc20Abi, getAbiItem, type Hex, pad, toEventSelector } from 'viem'
import { HISTORY_TOPICS } from './historyTopics.ts'

/** Which logs the index reads. */
export interface WantedLogs {
  /** Whether to read the contract's own logs: SubLog, DetailsLog, ProvDetailsLog, CallerLog. */
  readonly history: boolean
  /** The tokens whose Approval logs with the contract as spender are read. */
  readonly approvalsOf: readonly Address[]
}

export const HISTORY_ONLY: WantedLogs = { history: true, approvalsOf: [] }

export const APPROVAL_TOPIC = toEventSelector(getAbiItem({ abi: erc20Abi, name: 'Approval' }))

/** An address as an indexed argument. */
export function spenderTopic(contract: Address): Hex {
  return pad(lower(contract))
}

/** What `eth_getLogs` is asked for: one filter for the contract's logs, and one for all tokens. */
export function logFilters(contract: Address, { history, approvalsOf }: WantedLogs) {
  const own = { address: contract, topics: [HISTORY_TOPICS] }
  const ofTokens = { address: approvalsOf, topics: [APPROVAL_TOPIC, null, spenderTopic(contract)] }
  return { own: history ? own : undefined, ofTokens: approvalsOf.length > 0 ? ofTokens : undefined }
}

/** Whether a log is one of them. Receipts hold others too, and some nodes ignore topic filters. */
export function isWanted(
  { address, topics }: { readonly address: Address; readonly topics: readonly Hex[] },
  contract: Address,
  { history, approvalsOf }: WantedLogs,
): boolean {
  const [topic, , spender] = topics
  if (lower(address) === lower(contract)) return history && HISTORY_TOPICS.some((known) => known === topic)
  if (topic !== APPROVAL_TOPIC || topics.length !== 3 || spender !== spenderTopic(contract)) return false
  return approvalsOf.some((token) => lower(token) === lower(address))
}

function lower(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`
}
