import {
  APPROVAL_TOPIC,
  HISTORY_ONLY,
  HISTORY_TOPICS,
  isEmpty,
  isSparse,
  isWanted,
  type LogsBloom,
  mayHold,
  parseBloom,
  spenderTopic,
  type WantedLogs,
} from '@remit/protocol/logs/wantedLogs'
import { type Address, isAddressEqual } from 'viem'
import { type ChainNodes, type NodeHeader, type NodeLog, RangeRefusedError } from '../../ports/nodes.ts'
import { NodesDisagreeError, SourceError } from '../../ports/source.ts'
import { groupBy } from '../groupBy.ts'

// How false or missing logs of nodes are found. Near the head: the blooms of headers (`findSuspects`). Among final blocks: two
// nodes' answers, and the receipts of the blocks in which they differ (`settleDispute`). A bloom is a filter of 2048 bits in a block's
// header: each log sets some bits by its address and topics, so bits that are not set exclude a log. It is full where so many are set
// that it excludes nearly nothing, sparse (`isSparse`) otherwise.

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
    // Some chains leave all blooms empty, which shows as little as a full one.
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

/** Whether the bloom allows an event of the contract of whose kind no log came. */
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

/** Whether the bloom allows an approval to the contract by a wanted token of which none came. */
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

/** The logs of a range, as one node has them. */
interface NodeAnswer {
  readonly node: number
  readonly logs: readonly NodeLog[]
}

/** Each disputed block takes a few requests, so a range with more of them is cut: it ends before the fifth. */
const MOST_DISPUTED = 4

/**
 * The logs of a range of which two nodes have given theirs. For each block in which they differ, the receipts decide:
 * those that match the bloom in the block's header. The two nodes must give the same header. A node whose receipts do not
 * come is not wrong for that: a bloom says nothing of a log's data, so the other one's could match it and be false.
 * @throws NodesDisagreeError if that does not decide
 * @throws RangeRefusedError with a shorter range, if too many blocks are disputed
 */
export async function settleDispute(
  chain: ChainNodes,
  one: NodeAnswer,
  other: NodeAnswer,
  signal: AbortSignal,
  wanted: WantedLogs = HISTORY_ONLY,
): Promise<{ logs: readonly NodeLog[]; faultyNodes: readonly number[] }> {
  const kept = (logs: readonly NodeLog[]) => keptLogs(logs, chain.contract, wanted)
  const [oneKept, otherKept] = [kept(one.logs), kept(other.logs)]
  if (oneKept.length === otherKept.length && digestOf(oneKept) === digestOf(otherKept)) {
    return { logs: one.logs, faultyNodes: [] }
  }
  const [byOne, byOther] = [groupByBlock(oneKept), groupByBlock(otherKept)]
  const claimsOn = (block: number): readonly [NodeAnswer, NodeAnswer] => [
    { node: one.node, logs: byOne.get(block) ?? [] },
    { node: other.node, logs: byOther.get(block) ?? [] },
  ]
  const disputed = [...new Set([...byOne.keys(), ...byOther.keys()])]
    .filter((block) => new Set(claimsOn(block).map(({ logs }) => digestOf(logs))).size > 1)
    .toSorted((a, b) => a - b)
  const tooMany = disputed[MOST_DISPUTED]
  if (tooMany !== undefined) throw new RangeRefusedError(tooMany - 1)

  const faultyNodes = new Set<number>()
  const settled = new Map<number, readonly NodeLog[]>(byOne)
  for (const block of disputed) {
    const claims = claimsOn(block)
    const truth = await decide(chain, claims, block, wanted, signal)
    for (const { node, logs } of claims) if (digestOf(logs) !== digestOf(truth)) faultyNodes.add(node)
    settled.set(block, truth)
  }
  const blocks = [...settled].toSorted(([a], [b]) => a - b)
  return { logs: blocks.flatMap(([, logs]) => logs), faultyNodes: [...faultyNodes] }
}

/**
 * The logs of a disputed block by its receipts: those whose logs give the bloom of the header that both nodes name, and that the other
 * node's receipts do not contradict. Throws NodesDisagreeError where they do not decide.
 */
async function decide(
  chain: ChainNodes,
  claims: readonly [NodeAnswer, NodeAnswer],
  block: number,
  wanted: WantedLogs,
  signal: AbortSignal,
): Promise<readonly NodeLog[]> {
  const [first, second] = await Promise.all(claims.map(({ node }) => headerOf(chain, node, block, signal)))
  if (first === undefined || first.hash !== second?.hash || first.logsBloom !== second.logsBloom) {
    throw undecided(chain, claims, block)
  }
  const bloom = parseBloom(first.logsBloom)
  const answers = await Promise.allSettled(
    claims.map(async (claim) => ({
      claim,
      ...(await chain.receiptLogs(first, signal, claim.node, wanted)),
    })),
  )
  const came = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value)
  const silent = claims.filter((claim) => came.every((answer) => answer.claim !== claim))
  const fitting = came.filter(({ fitBloom }) => fitBloom || isEmpty(bloom))
  const [truth, ...others] = fitting.map(({ logs }) => keptLogs(logs, chain.contract, wanted))
  // A bloom with nearly all bits set proves nothing: receipts that lack a log fit it too. Then both nodes must agree.
  const isEnough = others.length > 0 || (isSparse(bloom) && !isEmpty(bloom))
  if (
    truth === undefined ||
    !isEnough ||
    // A node that gives no receipts may still be right, unless the bloom excludes its logs.
    silent.some(({ logs }) => !isExcluded(logs, bloom)) ||
    others.some((logs) => digestOf(logs) !== digestOf(truth))
  ) {
    throw undecided(chain, claims, block)
  }
  return truth
}

/** Whether the block's bloom excludes one of these logs. */
function isExcluded(logs: readonly NodeLog[], bloom: LogsBloom): boolean {
  return logs.some(({ address, topics }) => [address, ...topics].some((value) => !mayHold(bloom, value)))
}

async function headerOf(
  chain: ChainNodes,
  node: number,
  block: number,
  signal: AbortSignal,
): Promise<NodeHeader | undefined> {
  const [header] = await chain.headers([block], signal, node)
  return header
}

function undecided(
  { chainId }: ChainNodes,
  [one, other]: readonly [NodeAnswer, NodeAnswer],
  block: number,
): NodesDisagreeError {
  return new NodesDisagreeError(
    `RPC ${one.node + 1} and RPC ${other.node + 1} of chain ${chainId} give different logs of block ${block}, and its receipts do not decide which are right.`,
  )
}
