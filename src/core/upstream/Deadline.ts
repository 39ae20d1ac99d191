import { setMaxListeners } from 'node:events'

/**
 * Aborts work when its time is up, or when the outer signal aborts. Call `drop()` when the work is done.
 *
 * `AbortSignal.any([outer, AbortSignal.timeout(ms)])` does not do: nothing references it, so Node collects it while a
 * body is being read, and then the reading never ends.
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
    else if (outer) {
      // One request of a caller may ask nodes many times at once. From the eleventh listener on Node would warn of a leak.
      setMaxListeners(0, outer)
      outer.addEventListener('abort', this.#leave, { once: true })
    }
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Whether the time ran out. False where the outer signal ended the work. */
  get isOver(): boolean {
    return this.#isOver
  }

  drop(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#leave)
  }

  readonly #leave = (): void => this.#ending.abort(this.#outer?.reason)
}
