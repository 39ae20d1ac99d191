import type { Hex } from 'viem'
import type { ChainNode } from '../../core/ports/node.ts'
import { UpstreamError } from '../../errors/chain.ts'
import type { PlacedPayment, StepFacts } from '../projection.ts'
import type { Step } from '../source.ts'
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
    const [terms, payments] = await Promise.all([
      readTerms(this.#node, step, signal),
      this.#payments.read(step, signal),
    ])
    return { terms, payments, blockHashes: await this.#hashes(step, payments, signal) }
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
    const missing = new Set<number>()
    for (const { blockNumber, blockHash } of events) {
      if (blockHash === undefined && !told.has(blockNumber)) missing.add(blockNumber)
    }
    const numbers = [...missing]
    for (let start = 0; start < numbers.length; start += MOST_HEADERS) {
      const some = numbers.slice(start, start + MOST_HEADERS)
      const headers = await this.#node.headers(some, signal)
      for (const [index, number] of some.entries()) {
        const header = headers[index]
        if (header === undefined) throw new UpstreamError(this.#node.chainId)
        hashes.set(number, header.hash)
      }
    }
    return hashes
  }
}
