import type { BlockRef } from '@remit/engine/ports/history'
import type { NodeHeader } from '@remit/engine/ports/nodes'
import { blockOf } from '@remit/engine/ports/source'
import { SubgraphFailedError } from './subgraphErrors.ts'

/** Some blocks of one node's chain. The subgraph is compared with them. */
export class ChainBlocks {
  readonly #chainId: number
  readonly #byNumber = new Map<number, NodeHeader>()

  /**
   * Throws SubgraphFailedError if the node lacks a block, or two neighbouring blocks are of different forks.
   * @param numbers the numbers of `headers`, in the same order
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

  between(from: number, to: number): BlockRef[] {
    const numbers = [...this.#byNumber.keys()].filter((number) => number >= from && number <= to)
    return numbers.sort((a, b) => a - b).map((number) => blockOf(this.get(number)))
  }

  #lacks(number: number): SubgraphFailedError {
    return new SubgraphFailedError(`The nodes of chain ${this.#chainId} lack block ${number}.`)
  }
}
