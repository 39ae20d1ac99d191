import type { Hex } from 'viem'
import type { BlockRef } from '../../core/history.ts'

/** Heads below the tip must have been seen so often before they are believed. */
const FEWEST_SIGHTS = 3

/** Tells a chain that was rolled back from a node that lags: the one stands at a block, the other goes on. */
export class RollbackWatch {
  readonly #afterMs: number
  readonly #now: () => number
  #insisted: { readonly hash: Hex; readonly since: number; sights: number } | undefined

  constructor(options: { afterMs: number; now: () => number }) {
    this.#afterMs = options.afterMs
    this.#now = options.now
  }

  /** This head is below the tip; says whether it has been for long enough. */
  below({ hash }: Pick<BlockRef, 'hash'>): boolean {
    if (this.#insisted?.hash !== hash) this.#insisted = { hash, since: this.#now(), sights: 0 }
    this.#insisted.sights += 1
    const { since, sights } = this.#insisted
    return sights >= FEWEST_SIGHTS && this.#now() - since >= this.#afterMs
  }

  reset(): void {
    this.#insisted = undefined
  }
}
