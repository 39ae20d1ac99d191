/** Heads below the standpoint must have been seen so often before they are believed. */
const FEWEST_SIGHTS = 3

/** Tells a chain that was rolled back from a node that lags: nodes insist on the one, and catch up otherwise. */
export class RollbackWatch {
  readonly #afterMs: number
  readonly #now: () => number
  #insisted: { readonly since: number; sights: number } | undefined

  constructor(options: { afterMs: number; now: () => number }) {
    this.#afterMs = options.afterMs
    this.#now = options.now
  }

  /** The head was below the standpoint; says whether it has been for long enough. */
  below(): boolean {
    this.#insisted ??= { since: this.#now(), sights: 0 }
    this.#insisted.sights += 1
    const { since, sights } = this.#insisted
    return sights >= FEWEST_SIGHTS && this.#now() - since >= this.#afterMs
  }

  reset(): void {
    this.#insisted = undefined
  }
}
