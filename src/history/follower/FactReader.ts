import type { Hex } from 'viem'
import type { ChainNode, NodeHeader } from '../../core/ports/node.ts'
import { UpstreamError } from '../../errors/chain.ts'
import type { PlacedPayment, StepFacts, TimedApproval } from '../projection.ts'
import type { PlacedApproval, Step } from '../source.ts'
import { PaymentReader } from './payments/PaymentReader.ts'
import { readTerms } from './readTerms.ts'

/** Headers of one request. */
const MOST_HEADERS = 100

/** Reads from a chain's nodes what the events of a step do not carry. */
export class FactReader {
  readonly #node: ChainNode
  readonly #payments: PaymentReader

  constructor(node: ChainNode) {
    this.#node = node
    this.#payments = new PaymentReader(node)
  }

  /** Throws what readTerms and PaymentReader throw. */
  async read(step: Step, signal: AbortSignal): Promise<StepFacts> {
    const { approvals } = step
    const [terms, payments, rows] = await Promise.all([
      readTerms(this.#node, step, signal),
      this.#payments.read(step, signal),
      this.times(step, approvals?.rows ?? [], signal),
    ])
    const facts = { terms, payments, blockHashes: await this.#hashes(step, payments, signal) }
    return approvals === undefined ? facts : { ...facts, approvals: { tokens: approvals.tokens, rows } }
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
      if (block?.hash !== approval.blockHash) throw new UpstreamError(this.#node.chainId)
      return { ...approval, timestamp: block.timestamp }
    })
  }

  /** The hashes of blocks with events. A subgraph does not tell them: receipts do for most, and headers for the rest. */
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
    for (let start = 0; start < distinct.length; start += MOST_HEADERS) {
      const some = distinct.slice(start, start + MOST_HEADERS)
      const headers = await this.#node.headers(some, signal)
      for (const [index, number] of some.entries()) {
        const header = headers[index]
        if (header === undefined) throw new UpstreamError(this.#node.chainId)
        found.set(number, header)
      }
    }
    return found
  }
}
