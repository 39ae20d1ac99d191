import { type ChainNode, type NodeHeader, type NodeLog, RangeRefusedError } from '../../../core/ports/node.ts'
import { isEmpty, isTelling, parseBloom } from '../../../protocol/logs/logsBloom.ts'
import { SourceError } from '../../source.ts'
import { digestOf, groupByBlock, keptLogs } from './logGroups.ts'

/** Nodes contradict each other and nothing tells who is right: none of them is believed. */
export class UndecidedError extends SourceError {}

/** What one node said of a range. */
export interface Testimony {
  readonly node: number
  readonly logs: readonly NodeLog[]
}

/** Each takes a few requests; a range with more of them is cut. */
const MOST_DISPUTED = 4

/**
 * The logs of a range out of what two nodes say of it. Where they differ, the receipts of both for each such
 * block decide, held against the bloom of the block's header, in which the two must agree.
 * @throws UndecidedError where that does not decide
 * @throws RangeRefusedError with a last block up to which few blocks are disputed
 */
export async function settleDispute(
  chain: ChainNode,
  one: Testimony,
  other: Testimony,
  signal: AbortSignal,
): Promise<{ logs: readonly NodeLog[]; liars: readonly number[] }> {
  if (one.logs.length === other.logs.length && digestOf(one.logs) === digestOf(other.logs)) {
    return { logs: one.logs, liars: [] }
  }
  const mine = groupByBlock(keptLogs(one.logs))
  const theirs = groupByBlock(keptLogs(other.logs))
  const disputed = [...new Set([...mine.keys(), ...theirs.keys()])]
    .filter((block) => digestOf(mine.get(block) ?? []) !== digestOf(theirs.get(block) ?? []))
    .toSorted((a, b) => a - b)
  const tooMany = disputed[MOST_DISPUTED]
  if (tooMany !== undefined) throw new RangeRefusedError(tooMany - 1)

  const liars = new Set<number>()
  for (const block of disputed) {
    const truth = await decide(chain, [one.node, other.node], block, signal)
    const digest = digestOf(truth)
    if (digestOf(mine.get(block) ?? []) !== digest) liars.add(one.node)
    if (digestOf(theirs.get(block) ?? []) !== digest) liars.add(other.node)
    mine.set(block, [...truth])
  }
  const blocks = [...mine].toSorted(([a], [b]) => a - b)
  return { logs: blocks.flatMap(([, logs]) => logs), liars: [...liars] }
}

async function decide(
  chain: ChainNode,
  nodes: readonly [number, number],
  block: number,
  signal: AbortSignal,
): Promise<readonly NodeLog[]> {
  const [first, second] = await Promise.all(nodes.map((node) => headerOf(chain, node, block, signal)))
  if (first === undefined || first.hash !== second?.hash || first.logsBloom !== second.logsBloom) {
    throw undecided(chain, nodes, block)
  }
  const bloom = parseBloom(first.logsBloom)
  const answers = await Promise.allSettled(nodes.map((node) => chain.receiptLogs(first, signal, node)))
  const fitting = answers
    .filter((answer) => answer.status === 'fulfilled')
    .map(({ value }) => value)
    .filter(({ fitBloom }) => fitBloom || isEmpty(bloom))
  const [truth, ...others] = fitting.map(({ logs }) => keptLogs(logs))
  // A full bloom fits receipts with logs left out as well: then both nodes must say the same.
  const isEnough = others.length > 0 || (isTelling(bloom) && !isEmpty(bloom))
  if (truth === undefined || !isEnough || others.some((logs) => digestOf(logs) !== digestOf(truth))) {
    throw undecided(chain, nodes, block)
  }
  return truth
}

async function headerOf(
  chain: ChainNode,
  node: number,
  block: number,
  signal: AbortSignal,
): Promise<NodeHeader | undefined> {
  const [header] = await chain.headers([block], signal, node)
  return header
}

function undecided(
  { chainId }: ChainNode,
  [one, other]: readonly [number, number],
  block: number,
): UndecidedError {
  return new UndecidedError(
    `RPC ${one + 1} and RPC ${other + 1} of chain ${chainId} give different logs of block ${block}, and its receipts do not decide which are right.`,
  )
}
