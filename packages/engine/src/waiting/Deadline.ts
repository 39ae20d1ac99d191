import { onAbort } from './onAbort.ts'

/**
 * Aborts work when its time is up, or when the outer signal aborts. Call `drop()` when the work is done.
 *
 * `AbortSignal.any([outer, AbortSignal.timeout(ms)])` would hang: nothing references it, so Node collects it while a
 * body is being read, and then the reading never ends.
 */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #outer: AbortSignal | undefined
  readonly #stopListening: () => void
  #isOver = false

  constructor(timeoutMs: number, outer?: AbortSignal | null) {
    this.#outer = outer ?? undefined
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#ending.abort(new DOMException(`The time of ${timeoutMs} ms is up`, 'TimeoutError'))
    }, timeoutMs)
    this.#stopListening = outer ? onAbort(outer, this.#leave) : () => {}
    if (outer?.aborted) this.#leave()
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
    this.#stopListening()
  }

  readonly #leave = (): void => this.#ending.abort(this.#outer?.reason)
}
