/**
 * Ends a piece of work when its time is up, or when whoever asked for it has left. Drop it when the work is done.
 *
 * It stands in for `AbortSignal.any([outer, AbortSignal.timeout(ms)])`, which nothing holds on to: Node collects it
 * while the body of an answer is being read, and then nothing ends the reading.
 */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #outer: AbortSignal | undefined
  #isOver = false

  constructor(timeoutMs: number, outer?: AbortSignal | null) {
    this.#outer = outer ?? undefined
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#ending.abort(new DOMException(`The time of ${timeoutMs} ms is up`, 'TimeoutError'))
    }, timeoutMs)
    if (outer?.aborted) this.#leave()
    else outer?.addEventListener('abort', this.#leave, { once: true })
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Whether it was the time that ended the work. */
  get isOver(): boolean {
    return this.#isOver
  }

  drop(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#leave)
  }

  readonly #leave = (): void => this.#ending.abort(this.#outer?.reason)
}
