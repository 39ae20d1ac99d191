/**
 * Which logs the indexer asks nodes for, and what a block's bloom filter says: whether the block can hold such logs at all, and whether
 * a node left some out.
 */

import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import {
  type Address,
  erc20Abi,
  getAbiItem,
  type Hex,
  hexToBytes,
  keccak256,
  pad,
  toEventSelector,
} from 'viem'

const KEPT: readonly string[] = ['SubLog', 'DetailsLog', 'ProvDetailsLog', 'CallerLog']

/** The first topics of the events that the index keeps. */
export const HISTORY_TOPICS = ISubscriptions.abi
  .filter((item) => item.type === 'event')
  .filter(({ name }) => KEPT.includes(name))
  .map((event) => toEventSelector(event))

/** Which logs the index reads. */
export interface WantedLogs {
  /** Whether to read the contract's own logs: SubLog, DetailsLog, ProvDetailsLog, CallerLog. */
  readonly history: boolean
  /** The tokens whose Approval logs with the contract as spender are read. */
  readonly approvalsOf: readonly Address[]
}

export const HISTORY_ONLY: WantedLogs = { history: true, approvalsOf: [] }

export const APPROVAL_TOPIC = toEventSelector(getAbiItem({ abi: erc20Abi, name: 'Approval' }))

/** The contract as the indexed `spender` of an Approval. */
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

/** A block's bloom filter over the addresses and topics of its logs: 2,048 bits, three for each. */
export type LogsBloom = Uint8Array

const BLOOM_BYTES = 256

/**
 * A bloom with more bits set than this (70 %) is not used: for a fourth of such blocks, or more, it would match by chance. Below
 * it a block has at most some 820 different addresses and topics, so its receipts are short and a false match is cheap.
 */
const MOST_TELLING_BITS = Math.floor(0.7 * BLOOM_BYTES * 8)

export function parseBloom(hex: Hex): LogsBloom {
  return hexToBytes(hex, { size: BLOOM_BYTES })
}

/** Whether a match means something: few enough bits are set. */
export function isSparse(bloom: LogsBloom): boolean {
  let bits = 0
  // Each `rest & (rest - 1)` clears the lowest bit that is set.
  for (const byte of bloom) for (let rest = byte; rest > 0; rest &= rest - 1) bits += 1
  return bits <= MOST_TELLING_BITS
}

/** Whether no bit is set: a block without logs, or a chain that makes no blooms. */
export function isEmpty(bloom: LogsBloom): boolean {
  return bloom.every((byte) => byte === 0)
}

/** Whether the block may hold a log with this address or topic. Only `false` is certain. */
export function mayHold(bloom: LogsBloom, value: Hex): boolean {
  return bitsOf(value).every(({ byte, mask }) => ((bloom[byte] ?? 0) & mask) !== 0)
}

/** The bloom that a block with just these logs has. */
export function bloomOf(
  logs: Iterable<{ readonly address: Hex; readonly topics: readonly Hex[] }>,
): LogsBloom {
  const bloom = new Uint8Array(BLOOM_BYTES)
  const seen = new Set<Hex>()
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) {
      if (seen.has(value)) continue
      seen.add(value)
      for (const { byte, mask } of bitsOf(value)) bloom[byte] = (bloom[byte] ?? 0) | mask
    }
  }
  return bloom
}

export function areEqual(one: LogsBloom, other: LogsBloom): boolean {
  return one.every((byte, index) => byte === other[index])
}

/** The three bits of a value. Each pair of bytes of its hash gives a bit, counted from the bloom's end. */
function bitsOf(value: Hex): { byte: number; mask: number }[] {
  const hash = keccak256(value, 'bytes')
  return [0, 2, 4].map((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
    return { byte: BLOOM_BYTES - 1 - (bit >> 3), mask: 1 << (bit & 7) }
  })
}
