/** The wait before the next try: twice as long each time, with a random part so that many tasks do not retry together. */
export class Backoff {
  readonly #firstMs: number
  readonly #mostMs: number
  #failures = 0

  constructor(options: { firstMs: number; mostMs: number }) {
    this.#firstMs = options.firstMs
    this.#mostMs = options.mostMs
  }

  nextMs(): number {
    const ms = Math.min(this.#mostMs, this.#firstMs * 2 ** this.#failures)
    this.#failures += 1
    return ms * (0.5 + Math.random() / 2)
  }

  reset(): void {
    this.#failures = 0
  }
}
