import { type Hex, isAddressEqual } from 'viem'
import { BlockGoneError } from '../../../core/ports/chains.ts'
import type { ChainNode, NodeLog } from '../../../core/ports/node.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../../errors/chain.ts'
import { decodeProtocolLog, type SubLog } from '../../../protocol/logs/events.ts'
import { NodesDisagreeError, type PlacedEvent, type Step } from '../../source.ts'

/** Three HTTP requests. Each round has its own time limit, because a long history takes many. */
const MOST_RECEIPTS = 120

/** All logs of each transaction that moved money, all of them in the block in which the step has its events. */
export type Receipts = ReadonlyMap<Hex, readonly NodeLog[]>

/**
 * Reads the receipts of a step's transactions that have events of subscribers.
 *
 * Neither source tells them: the contract is neither end of a payment, and a subgraph only knows the contract's events. A
 * receipt counts if its own events are those of the step, in the same blocks. Where two nodes work, both are asked: a
 * transfer's amount is in no bloom filter, so one node alone could give a wrong one.
 *
 * @throws BlockGoneError if no node has receipts with these events
 * @throws NodesDisagreeError if two nodes have, and differ in other logs
 */
export async function readReceipts(node: ChainNode, step: Step, signal: AbortSignal): Promise<Receipts> {
  const wanted = transactionsOf(step)
  const hashes = [...wanted.keys()]
  const found = new Map<Hex, readonly NodeLog[]>()
  for (let start = 0; start < hashes.length; start += MOST_RECEIPTS) {
    const some = hashes.slice(start, start + MOST_RECEIPTS)
    for (const [hash, logs] of await readSome(node, some, step, wanted, signal)) found.set(hash, logs)
  }
  return found
}

async function readSome(
  node: ChainNode,
  hashes: readonly Hex[],
  step: Step,
  wanted: ReadonlyMap<Hex, readonly PlacedEvent[]>,
  signal: AbortSignal,
): Promise<Receipts> {
  const working = node.working()
  const asked = working.length === 0 ? [undefined] : working
  let answer: Receipts | undefined
  let failure: unknown
  for (const one of asked) {
    try {
      const receipts = await node.transactionLogs(hashes, signal, one)
      if (!hashes.every((hash) => fits(receipts.get(hash), wanted.get(hash) ?? [], node, step))) continue
      if (answer !== undefined) return agreed(node, hashes, answer, receipts)
      answer = receipts
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UpstreamError || error instanceof UpstreamTimeoutError)) throw error
      failure = error
    }
  }
  if (answer !== undefined) return answer
  if (failure !== undefined) throw failure
  throw new BlockGoneError(
    `no node has the receipts of the events up to block ${step.to.number}: they were reorganised away, or the node lags`,
  )
}

function agreed(node: ChainNode, hashes: readonly Hex[], one: Receipts, other: Receipts): Receipts {
  const differs = hashes.find((hash) => textOf(one.get(hash)) !== textOf(other.get(hash)))
  if (differs === undefined) return one
  throw new NodesDisagreeError(
    `Two nodes of chain ${node.chainId} give different receipts of the transaction ${differs}.`,
  )
}

/** The transactions of which something moved, with their events. */
function transactionsOf({ events }: Step): ReadonlyMap<Hex, readonly PlacedEvent[]> {
  const found = new Map<Hex, PlacedEvent[]>()
  for (const placed of events) {
    const { event, transactionHash } = placed
    if (event.type !== 'SubLog' || event.subscriber === undefined) continue
    const same = found.get(transactionHash)
    if (same === undefined) found.set(transactionHash, [placed])
    else same.push(placed)
  }
  return found
}

/** Whether a receipt has exactly these events, and all its logs in their block. */
function fits(
  logs: readonly NodeLog[] | undefined,
  events: readonly PlacedEvent[],
  { contract }: Pick<ChainNode, 'contract'>,
  { blocks }: Pick<Step, 'blocks'>,
): logs is readonly NodeLog[] {
  if (logs === undefined) return false
  const number = events[0]?.blockNumber
  // A subgraph's final blocks have no hash here. Then the logs must at least be of one block.
  const hash =
    events[0]?.blockHash ?? blocks.find((block) => block.number === number)?.hash ?? logs[0]?.blockHash
  if (logs.some(({ blockNumber, blockHash }) => blockNumber !== number || blockHash !== hash)) return false
  const own = logs.flatMap((log) => {
    if (!isAddressEqual(log.address, contract)) return []
    const event = decodeProtocolLog(log)
    return event?.type === 'SubLog' && event.subscriber !== undefined ? [nameOf(event, log)] : []
  })
  const given = events.flatMap((placed) =>
    placed.event.type === 'SubLog' ? [nameOf(placed.event, placed)] : [],
  )
  return own.join() === given.join()
}

function nameOf(event: SubLog, { blockNumber, logIndex }: { blockNumber: number; logIndex: number }): string {
  const { subScriptEvent, id, provider, subscriber, token, amount } = event
  return [blockNumber, logIndex, subScriptEvent, id, provider, subscriber, token, amount]
    .join(' ')
    .toLowerCase()
}

function textOf(logs: readonly NodeLog[] = []): string {
  return logs
    .map(({ blockNumber, blockHash, logIndex, address, topics, data }) =>
      [blockNumber, blockHash, logIndex, address, ...topics, data].join(),
    )
    .join(';')
}
