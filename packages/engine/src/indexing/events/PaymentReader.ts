import { toRaw } from '@remit/protocol/amounts'
import { decodeProtocolLog, decodeTokenLog, type SubLog } from '@remit/protocol/logs/events'
import { matchPayments } from '@remit/protocol/payments/matchPayments'
import { CHARGES, type DropReason, dropReason } from '@remit/protocol/payments/Payment'
import { type Address, type Hex, isAddressEqual } from 'viem'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { BlockGoneError } from '../../ports/chains.ts'
import type { BlockPlace, ChainNodes, NodeLog } from '../../ports/nodes.ts'
import { NodesDisagreeError, type PlacedEvent, type PlacedPayment, type Step } from '../../ports/source.ts'
import { MOST_REQUESTS } from '../../rpc/BatchSender.ts'
import { groupBy } from '../groupBy.ts'

/**
 * Reads what the events of a step moved. A step is what the index writes next: some blocks with the contract's events
 * (ports/source.ts). Those events do not state the token's transfers, so the receipts of their transactions are read. In this
 * order: the receipts, which two nodes must agree on where two work; the payments in them; and why remit dropped those whom it dropped.
 */
export class PaymentReader {
  readonly #nodes: ChainNodes
  /** The decimals of each token (address in lower case), by the contract's entry for it, which it never changes. */
  readonly #decimals = new Map<Address, number>()

  constructor(nodes: ChainNodes) {
    this.#nodes = nodes
  }

  /**
   * The step's payments, in the order of the chain.
   * @throws BlockGoneError, NodesDisagreeError: see readReceipts
   */
  async read(step: Step, signal: AbortSignal): Promise<readonly PlacedPayment[]> {
    const receipts = await readReceipts(this.#nodes, step, signal)
    if (receipts.size === 0) return []
    await this.#learnDecimals(step, signal)
    const placed = this.#match(receipts)
    const reasons = await readDropReasons(this.#nodes, placed, signal)
    return placed
      .map(({ payment }) => ({ ...payment, dropReason: reasons.get(payment) ?? null }))
      .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  }

  #match(receipts: Receipts): readonly PaymentInTransaction[] {
    const decimalsOf = (token: Address) => this.#decimals.get(lower(token))
    return [...receipts].flatMap(([transactionHash, logs]) => {
      const [first] = logs
      if (first === undefined) return []
      const { blockNumber, blockHash } = first
      return matchPayments(logs, this.#nodes.contract, decimalsOf).map((payment) => ({
        payment: { ...payment, blockNumber, blockHash, transactionHash },
        block: { number: blockNumber, hash: blockHash },
        logs,
        decimals: decimalsOf(payment.token),
      }))
    })
  }

  async #learnDecimals({ events }: Step, signal: AbortSignal): Promise<void> {
    const tokens = new Set<Address>()
    for (const { event } of events) {
      if (event.type !== 'SubLog' || event.subscriber === undefined) continue
      if (!this.#decimals.has(lower(event.token))) tokens.add(lower(event.token))
    }
    if (tokens.size === 0) return
    const { head } = await this.#nodes.head(signal)
    for (const [token, decimals] of await this.#nodes.tokenDecimals([...tokens], head, signal)) {
      this.#decimals.set(token, decimals)
    }
  }
}

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`
}

/** How many receipts are asked for at a time: three HTTP requests. Fewer at a time keep each request within the time limit of a node's answer. */
const MOST_RECEIPTS = 3 * MOST_REQUESTS

/** All logs of each transaction that moved money, all of them in the block in which the step has its events. */
type Receipts = ReadonlyMap<Hex, readonly NodeLog[]>

/**
 * Reads the receipts of a step's transactions that have events of subscribers.
 *
 * No source gives the token's transfers: the contract is neither their sender nor their receiver, and a subgraph only knows
 * the contract's events. A receipt counts if its own events are those of the step, in the same blocks. Where two nodes work,
 * both are asked: a transfer's amount is in no bloom filter, so one node alone could give a wrong one. Where only one of them
 * answers, its receipts count all the same: the outage of a node must not stop the index.
 *
 * @throws BlockGoneError if no node has receipts with these events
 * @throws NodesDisagreeError if two nodes have, and differ in other logs
 */
async function readReceipts(nodes: ChainNodes, step: Step, signal: AbortSignal): Promise<Receipts> {
  const wanted = transactionsOf(step)
  const hashes = [...wanted.keys()]
  const found = new Map<Hex, readonly NodeLog[]>()
  for (let start = 0; start < hashes.length; start += MOST_RECEIPTS) {
    const some = hashes.slice(start, start + MOST_RECEIPTS)
    for (const [hash, logs] of await readConfirmed(nodes, some, step, wanted, signal)) found.set(hash, logs)
  }
  return found
}

/** Asks node after node until two have given the same receipts, or all were asked. */
async function readConfirmed(
  nodes: ChainNodes,
  hashes: readonly Hex[],
  step: Step,
  wanted: ReadonlyMap<Hex, readonly PlacedEvent[]>,
  signal: AbortSignal,
): Promise<Receipts> {
  const working = nodes.working()
  // Where no node works now, any may try.
  const asked = working.length === 0 ? [undefined] : working
  let answer: Receipts | undefined
  let failure: unknown
  for (const node of asked) {
    try {
      const receipts = await nodes.transactionLogs(hashes, signal, node)
      if (!hashes.every((hash) => hasEvents(receipts.get(hash), wanted.get(hash) ?? [], nodes, step)))
        continue
      if (answer !== undefined) return requireSame(nodes, hashes, answer, receipts)
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

function requireSame(nodes: ChainNodes, hashes: readonly Hex[], one: Receipts, other: Receipts): Receipts {
  const differs = hashes.find((hash) => logsKey(one.get(hash)) !== logsKey(other.get(hash)))
  if (differs === undefined) return one
  throw new NodesDisagreeError(
    `Two nodes of chain ${nodes.chainId} give different receipts of the transaction ${differs}.`,
  )
}

/** The transactions that moved money, with their events of subscribers. */
function transactionsOf({ events }: Step): ReadonlyMap<Hex, readonly PlacedEvent[]> {
  const moving = events.filter(({ event }) => event.type === 'SubLog' && event.subscriber !== undefined)
  return groupBy(moving, ({ transactionHash }) => transactionHash)
}

/** Whether a transaction's receipt has, of the contract's events about subscribers, exactly these, and all its logs in their block. */
function hasEvents(
  logs: readonly NodeLog[] | undefined,
  events: readonly PlacedEvent[],
  { contract }: Pick<ChainNodes, 'contract'>,
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
    return event?.type === 'SubLog' && event.subscriber !== undefined ? [eventKey(event, log)] : []
  })
  const given = events.flatMap((placed) =>
    placed.event.type === 'SubLog' ? [eventKey(placed.event, placed)] : [],
  )
  return own.join() === given.join()
}

function eventKey(
  event: SubLog,
  { blockNumber, logIndex }: { blockNumber: number; logIndex: number },
): string {
  const { subScriptEvent, id, provider, subscriber, token, amount } = event
  return [blockNumber, logIndex, subScriptEvent, id, provider, subscriber, token, amount]
    .join(' ')
    .toLowerCase()
}

function logsKey(logs: readonly NodeLog[] = []): string {
  return logs
    .map(({ blockNumber, blockHash, logIndex, address, topics, data }) =>
      [blockNumber, blockHash, logIndex, address, ...topics, data].join(),
    )
    .join(';')
}

/** A payment before it is known why remit dropped the subscriber, if it did. */
type PaymentWithoutReason = Omit<PlacedPayment, 'dropReason'>

/** A payment with the transaction that it is part of. */
interface PaymentInTransaction {
  readonly payment: PaymentWithoutReason
  readonly block: BlockPlace
  /** All logs of its transaction. */
  readonly logs: readonly NodeLog[]
  readonly decimals: number | undefined
}

/**
 * Why remit dropped each subscriber that it dropped: by the state of the block before, and what the block's indexed
 * transactions moved before the drop. `unknown` where no node has that state, as most have not of blocks that are a few minutes old.
 */
async function readDropReasons(
  nodes: ChainNodes,
  placed: readonly PaymentInTransaction[],
  signal: AbortSignal,
): Promise<ReadonlyMap<PaymentWithoutReason, DropReason>> {
  const dropped = placed.filter(({ payment }) => payment.kind === 'dropped')
  const reasons = new Map<PaymentWithoutReason, DropReason>(
    dropped.map(({ payment }) => [payment, 'unknown']),
  )
  const blocks = groupBy(dropped, ({ block }) => block.number)
  // The newest block first: where nodes keep the state of recent blocks only and lack this one's, they lack that of all before it.
  for (const [, drops] of [...blocks].sort(([a], [b]) => b - a)) {
    const holdings = await holdingsBefore(nodes, drops, signal)
    if (holdings === undefined) break
    for (const [index, drop] of drops.entries()) {
      const before = holdings[index]
      if (before !== undefined) reasons.set(drop.payment, reasonOf(drop, before, placed))
    }
  }
  return reasons
}

/** The payers' balances and allowances in the state before the drops' block; `undefined` where no node has it. */
async function holdingsBefore(
  nodes: ChainNodes,
  drops: readonly PaymentInTransaction[],
  signal: AbortSignal,
) {
  const [first] = drops
  if (first === undefined) return undefined
  const wanted = drops.map(({ payment }) => ({ token: payment.token, account: payment.subscriber }))
  try {
    return await nodes.holdingsBefore(first.block, wanted, signal)
  } catch (error) {
    signal.throwIfAborted()
    const isMissing =
      error instanceof BlockGoneError ||
      error instanceof UpstreamError ||
      error instanceof UpstreamTimeoutError
    if (isMissing) return undefined
    throw error
  }
}

/** The reason by what the payer had at the drop: its holdings before the block, and what the block moved until then. */
function reasonOf(
  { payment, decimals }: PaymentInTransaction,
  { balance, allowance }: { readonly balance: bigint; readonly allowance: bigint },
  placed: readonly PaymentInTransaction[],
): DropReason {
  if (decimals === undefined) return 'unknown'
  const { token, subscriber, blockNumber, logIndex } = payment
  const sameBlock = placed.filter(({ payment: other }) => other.blockNumber === blockNumber)
  const taken = sameBlock
    .map(({ payment: other }) => other)
    .filter((other) => other.logIndex < logIndex && CHARGES.includes(other.kind))
    .filter((other) => isAddressEqual(other.subscriber, subscriber) && isAddressEqual(other.token, token))
    .reduce((sum, { toProvider, toFeeBalance }) => sum + toProvider + toFeeBalance, 0n)
  const receipts = new Set(sameBlock.map(({ logs }) => logs))
  const logs = [...receipts].flat().filter((log) => log.logIndex < logIndex)
  const had = { balance: balance + balanceChange(logs, token, subscriber), allowance: allowance - taken }
  return dropReason(had, toRaw(payment.period, decimals))
}

/** What transfers changed of an account's balance. */
function balanceChange(logs: readonly NodeLog[], token: Address, account: Address): bigint {
  return logs
    .filter(({ address }) => isAddressEqual(address, token))
    .reduce((sum, log) => {
      const event = decodeTokenLog(log)
      if (event?.type !== 'Transfer') return sum
      const came = isAddressEqual(event.to, account) ? event.amountRaw : 0n
      const went = isAddressEqual(event.from, account) ? event.amountRaw : 0n
      return sum + came - went
    }, 0n)
}
