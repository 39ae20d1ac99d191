import type { BlockRef } from '../../../core/ports/history.ts'
import type { NodeHeader } from '../../../core/ports/node.ts'
import { blockOf } from '../blockOf.ts'
import { SubgraphFailedError } from './SubgraphFailedError.ts'

/** Some of the chain's blocks, as one node has them: what the subgraph is held against. */
export class ChainBlocks {
  readonly #chainId: number
  readonly #byNumber = new Map<number, NodeHeader>()

  /**
   * Throws SubgraphFailedError where the node lacks one, or those next to each other are of different forks.
   * @param numbers of the headers, in their order
   */
  constructor(chainId: number, numbers: readonly number[], headers: readonly (NodeHeader | undefined)[]) {
    this.#chainId = chainId
    numbers.forEach((number, index) => {
      const header = headers[index]
      if (header === undefined) throw this.#lacks(number)
      this.#byNumber.set(number, header)
    })
    for (const [number, { parentHash }] of this.#byNumber) {
      const parent = this.#byNumber.get(number - 1)
      if (parent !== undefined && parent.hash !== parentHash) {
        throw new SubgraphFailedError(`Chain ${chainId} was reorganised at block ${number} just now.`)
      }
    }
  }

  get(number: number): NodeHeader {
    const found = this.#byNumber.get(number)
    if (found === undefined) throw this.#lacks(number)
    return found
  }

  has(block: Pick<BlockRef, 'number' | 'hash'>): boolean {
    return this.#byNumber.get(block.number)?.hash === block.hash
  }

  /** Those from one number to another, in their order. */
  between(from: number, to: number): BlockRef[] {
    const numbers = [...this.#byNumber.keys()].filter((number) => number >= from && number <= to)
    return numbers.sort((a, b) => a - b).map((number) => blockOf(this.get(number)))
  }

  #lacks(number: number): SubgraphFailedError {
    return new SubgraphFailedError(`The nodes of chain ${this.#chainId} lack block ${number}.`)
  }
}
