const FIRST_MS = 200
const MOST_MS = 30_000

/** How long to wait before the next try: twice as long each time, spread so that many do not come at once. */
export class Backoff {
  readonly #random: () => number
  #failures = 0

  /** @param random from 0 to 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  nextMs(): number {
    const ms = Math.min(MOST_MS, FIRST_MS * 2 ** this.#failures)
    this.#failures += 1
    return ms * (0.5 + this.#random() / 2)
  }

  reset(): void {
    this.#failures = 0
  }
}
