import type { ChainNode } from '../../../core/ports/node.ts'

const SOONEST_MS = 100
const LATEST_MS = 2_000

/** Wakes whoever listens at each new head, and a little later again where a node was behind. */
export class Wakes {
  readonly #chain: Pick<ChainNode, 'onHead'>
  readonly #listeners = new Set<() => void>()
  #soonMs = SOONEST_MS
  #timer: NodeJS.Timeout | undefined

  constructor(chain: Pick<ChainNode, 'onHead'>) {
    this.#chain = chain
  }

  listen(wake: () => void): () => void {
    const called = () => wake()
    this.#listeners.add(called)
    const silence = this.#chain.onHead(called)
    return () => {
      silence()
      this.#listeners.delete(called)
      if (this.#listeners.size === 0) clearTimeout(this.#timer)
    }
  }

  /** Each time later, until something came of it. */
  soon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      for (const wake of [...this.#listeners]) wake()
    }, this.#soonMs)
    this.#timer.unref()
    this.#soonMs = Math.min(LATEST_MS, 2 * this.#soonMs)
  }

  reset(): void {
    this.#soonMs = SOONEST_MS
  }
}
