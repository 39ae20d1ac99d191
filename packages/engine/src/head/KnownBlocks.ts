import type { Hex } from 'viem'
import { MOST_REQUESTS } from '../rpc/BatchSender.ts'
import type { BlockHeader } from './blockHeader.ts'

/** How many blocks are remembered. No deeper reorg was ever seen, and a node that lags by more is useless. */
const REMEMBERED_BLOCKS = 128
/** The most headers that are fetched to show that a block connects to what is known. */
export const MOST_WALKED = 128
/** Headers of one HTTP request, beside one question of the caller. */
const MOST_AT_ONCE = MOST_REQUESTS - 1
/** How many headers are fetched at once below the known head: reorgs are shallow. */
const FEW_AT_ONCE = 8

/** Headers by their numbers, in the order asked for, as one node has them. */
export type ReadHeaders = (numbers: readonly number[]) => Promise<readonly (BlockHeader | undefined)[]>

/**
 * How a block relates to those that are known: `shown` with its branch, from the first block above a known one up to
 * itself; `far` if its parents are consistent and meet no known block within the bound; `broken` if they are not.
 */
export type Walk =
  | { readonly kind: 'shown'; readonly branch: readonly [BlockHeader, ...BlockHeader[]] }
  | { readonly kind: 'far' | 'broken' }

/** The hashes of the newest blocks of the chain that is followed, by their numbers: they show whether another block connects. */
export class KnownBlocks {
  readonly #hashes = new Map<number, Hex>()
  #newest = -1

  has(number: number, hash: Hex): boolean {
    return this.#hashes.get(number) === hash
  }

  /** Whether this block is another one than the chain has at its height, or its parent is. */
  contradicts({ number, hash, parentHash }: BlockHeader): boolean {
    const isAnother = (at: number, named: Hex) => (this.#hashes.get(at) ?? named) !== named
    return isAnother(number, hash) || isAnother(number - 1, parentHash)
  }

  /** Puts a branch on top of a known block. Returns whether it takes the place of other blocks. */
  put(branch: readonly [BlockHeader, ...BlockHeader[]]): boolean {
    const hashes = new Map(branch.map(({ number, hash }) => [number, hash]))
    let isReorg = false
    for (let number = branch[0].number; number <= this.#newest; number += 1) {
      const known = this.#hashes.get(number)
      isReorg ||= known !== undefined && known !== hashes.get(number)
      this.#hashes.delete(number)
    }
    for (const header of branch) this.#remember(header)
    return isReorg
  }

  /** Forgets all blocks but this one and its parent. */
  restart(header: BlockHeader): void {
    this.#hashes.clear()
    this.#remember(header)
  }

  /** Follows a block's parents down to a known one, over headers of the node that named it. */
  async walkDown(block: BlockHeader, read: ReadHeaders): Promise<Walk> {
    const branch: [BlockHeader, ...BlockHeader[]] = [block]
    const isKnown = () => this.has(branch[0].number - 1, branch[0].parentHash)
    while (!isKnown() && branch.length < MOST_WALKED && branch[0].number > 0) {
      const [{ number }] = branch
      // All down to the newest known block, or a few where the branch begins below it.
      const wanted = Math.max(FEW_AT_ONCE, number - 1 - this.#newest)
      const count = Math.min(wanted, MOST_AT_ONCE, MOST_WALKED - branch.length, number)
      const headers = await read(Array.from({ length: count }, (_, index) => number - 1 - index))
      for (const header of headers) {
        if (header?.hash !== branch[0].parentHash || header.number !== branch[0].number - 1) {
          return { kind: 'broken' }
        }
        branch.unshift(header)
        if (isKnown()) break
      }
    }
    return isKnown() ? { kind: 'shown', branch } : { kind: 'far' }
  }

  #remember({ number, hash, parentHash }: BlockHeader): void {
    this.#newest = number
    this.#hashes.set(number - 1, parentHash)
    this.#hashes.set(number, hash)
    for (const known of this.#hashes.keys()) {
      if (known <= number - REMEMBERED_BLOCKS) this.#hashes.delete(known)
    }
  }
}
