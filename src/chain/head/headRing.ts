import type { Hex } from 'viem'
import type { Head } from './blockHeader.ts'

/** No deeper reorg was ever seen, and a node that lags by more is useless. */
const REMEMBERED_BLOCKS = 128
const FEWEST_SIGHTS = 3

/**
 * What a freshly seen block is to the chain seen so far: `next` block or the `same`, a `reorg`, or a `lag`
 * that must not move the head.
 */
export type Sighting = 'next' | 'same' | 'reorg' | 'lag'

/** The hashes of recent heads by number, and the judgement of new ones against them. */
export class HeadRing {
  readonly #rollbackAfterMs: number
  readonly #hashes = new Map<number, Hex>()
  #head: Head | undefined
  #lagging: { hash: Hex; since: number; sights: number } | undefined

  constructor(options: { rollbackAfterMs: number }) {
    this.#rollbackAfterMs = options.rollbackAfterMs
  }

  judge(seen: Head, now: number): Sighting {
    const head = this.#head
    if (head === undefined) return this.#move(seen, 'next')
    if (seen.hash === head.hash) {
      this.#lagging = undefined
      return 'same'
    }
    if (seen.number > head.number) {
      const continues = seen.number > head.number + 1 || seen.parentHash === head.hash
      return this.#move(seen, continues ? 'next' : 'reorg')
    }
    if (this.#isAnother(seen.number, seen.hash) || this.#isAnother(seen.number - 1, seen.parentHash)) {
      return this.#move(seen, 'reorg')
    }
    // A known ancestor, or an older block that was never seen: most likely the node lags.
    return this.#isInsistedOn(seen.hash, now) ? this.#move(seen, 'reorg') : 'lag'
  }

  #isAnother(number: number, hash: Hex): boolean {
    const known = this.#hashes.get(number)
    return known !== undefined && known !== hash
  }

  /** A node that lags still moves on. A chain that was rolled back stays at one block. */
  #isInsistedOn(hash: Hex, now: number): boolean {
    if (this.#lagging?.hash !== hash) this.#lagging = { hash, since: now, sights: 0 }
    this.#lagging.sights += 1
    const { since, sights } = this.#lagging
    return sights >= FEWEST_SIGHTS && now - since >= this.#rollbackAfterMs
  }

  #move(seen: Head, sighting: 'next' | 'reorg'): Sighting {
    // The depth of the reorg is unknown, so no earlier hash can be trusted to be an ancestor.
    if (sighting === 'reorg') this.#hashes.clear()
    this.#lagging = undefined
    this.#head = seen
    this.#hashes.set(seen.number - 1, seen.parentHash)
    this.#hashes.set(seen.number, seen.hash)
    for (const number of this.#hashes.keys()) {
      if (number > seen.number - REMEMBERED_BLOCKS) break
      this.#hashes.delete(number)
    }
    return sighting
  }
}
