import type { Hex } from 'viem'
import { UpstreamError } from '../../errors/chain.ts'
import { BlockGoneError } from '../../ports/chains.ts'
import type { BlockRef } from '../../ports/history.ts'
import type { ChainNodes, NodeHeader } from '../../ports/nodes.ts'
import type { PlacedPayment, ScheduleTerms, StepFacts, TimedApproval } from '../../ports/source.ts'
import { type PlacedApproval, SourceError, type Step } from '../../ports/source.ts'
import { PaymentReader } from './PaymentReader.ts'

/** How many headers are asked for at a time: three HTTP requests to a node. */
const HEADERS_AT_ONCE = 100

/**
 * Reads from a chain's nodes what the events of a step do not carry: terms of new subscriptions, payments, hashes of blocks.
 * A step is what a source of events gives next (ports/source.ts); the index writes it with these facts.
 */
export class FactReader {
  readonly #nodes: ChainNodes
  readonly #payments: PaymentReader

  constructor(nodes: ChainNodes) {
    this.#nodes = nodes
    this.#payments = new PaymentReader(nodes)
  }

  /** Throws what readTerms and PaymentReader throw. */
  async read(step: Step, signal: AbortSignal): Promise<StepFacts> {
    const { approvals } = step
    const [terms, payments, timedApprovals] = await Promise.all([
      readTerms(this.#nodes, step, signal),
      this.#payments.read(step, signal),
      this.times(step, approvals?.rows ?? [], signal),
    ])
    const facts = { terms, payments, blockHashes: await this.#hashes(step, payments, signal) }
    if (approvals === undefined) return facts
    return { ...facts, approvals: { tokens: approvals.tokens, rows: timedApprovals } }
  }

  /** Approvals of a step's blocks with their times. Throws UpstreamError where a block is not there any more. */
  async times(
    { blocks, to }: Pick<Step, 'blocks' | 'to'>,
    approvals: readonly PlacedApproval[],
    signal: AbortSignal,
  ): Promise<readonly TimedApproval[]> {
    const known = new Map([...blocks, to].map((block) => [block.number, block]))
    const missing = approvals.map(({ blockNumber }) => blockNumber).filter((number) => !known.has(number))
    for (const [number, header] of await this.#headers(missing, signal)) known.set(number, header)
    return approvals.map((approval) => {
      const block = known.get(approval.blockNumber)
      if (block?.hash !== approval.blockHash) throw new UpstreamError(this.#nodes.chainId)
      return { ...approval, timestamp: block.timestamp }
    })
  }

  /** The hashes of blocks with events, where the step has none (a subgraph's): receipts tell most, headers the rest. */
  async #hashes(
    { events, blocks, to }: Step,
    payments: readonly PlacedPayment[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Hex>> {
    const hashes = new Map<number, Hex>()
    for (const { blockNumber, blockHash } of payments) if (blockHash) hashes.set(blockNumber, blockHash)
    const told = new Set([...blocks.map(({ number }) => number), to.number, ...hashes.keys()])
    const missing = events.flatMap(({ blockNumber, blockHash }) =>
      blockHash === undefined && !told.has(blockNumber) ? [blockNumber] : [],
    )
    for (const [number, { hash }] of await this.#headers(missing, signal)) hashes.set(number, hash)
    return hashes
  }

  /** Throws UpstreamError where a block is not there. */
  async #headers(numbers: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, NodeHeader>> {
    const found = new Map<number, NodeHeader>()
    const distinct = [...new Set(numbers)]
    for (let start = 0; start < distinct.length; start += HEADERS_AT_ONCE) {
      const some = distinct.slice(start, start + HEADERS_AT_ONCE)
      const headers = await this.#nodes.headers(some, signal)
      for (const [index, number] of some.entries()) {
        const header = headers[index]
        if (header === undefined) throw new UpstreamError(this.#nodes.chainId)
        found.set(number, header)
      }
    }
    return found
  }
}

/**
 * Reads the frequency and due day of each subscription that a step creates. Their logs do not carry them.
 *
 * An id is made of wallet, nonce and time, so after a reorganisation the same id may have other terms. So they are
 * read on the chain of the step's last block.
 * @throws SourceError if the chain does not know a subscription that was logged as created
 * @throws BlockGoneError if the step's last block is no longer on the chain
 */
export async function readTerms(
  nodes: ChainNodes,
  { events, to, finalizedBlock }: Pick<Step, 'events' | 'to' | 'finalizedBlock'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<Hex, ScheduleTerms>> {
  const ids = new Set<Hex>()
  for (const { event } of events) {
    if (event.type === 'SubLog' && event.eventName === 'Created') ids.add(event.id)
  }
  if (ids.size === 0) return new Map()
  const isFinal = to.number <= finalizedBlock
  const { head } = isFinal ? await nodes.head(signal) : { head: to }
  // Final terms are the same at the head, whose state every node has. The head may have been seen before the step's end.
  const readBlock = head.number > to.number ? head : to
  const terms = await nodes.schedules([...ids], readBlock, signal).catch((error: unknown) => {
    // The step's end was reorganised away, or its state is too old for the nodes.
    if (error instanceof BlockGoneError && readBlock === to)
      return readAbove(nodes, [...ids], to, error, signal)
    throw error
  })
  for (const id of ids) {
    if (!terms.has(id)) {
      throw new SourceError(`The chain does not know subscription ${id}, which its logs say was created.`)
    }
  }
  return terms
}

/** Reads at the head if that is above `block`, on the same chain: terms never change. */
async function readAbove(
  nodes: ChainNodes,
  ids: readonly Hex[],
  block: BlockRef,
  gone: BlockGoneError,
  signal: AbortSignal,
) {
  const { head } = await nodes.head(signal)
  // A head that was seen before the block came may not know the subscription yet.
  if (head.number < block.number) throw gone
  const terms = await nodes.schedules(ids, head, signal)
  // If one node has both blocks, they are on the same chain.
  const [below, above] = await nodes.headers([block.number, head.number], signal)
  if (below?.hash !== block.hash || above?.hash !== head.hash) {
    throw new BlockGoneError(`block ${block.number} was reorganised away while its events were read`)
  }
  return terms
}
