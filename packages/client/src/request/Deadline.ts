/**
 * Ends a piece of work when its time is up or when the outer signal aborts. Call `drop` when the work is done.
 *
 * `AbortSignal.any([outer, AbortSignal.timeout(ms)])` would be shorter. But nothing refers to that signal, so Node can
 * collect it as garbage during the wait, and then nothing ends the wait.
 */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #outer: AbortSignal | undefined
  #isOver = false

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#ending.abort(new DOMException(`The time of ${timeoutMs} ms is up`, 'TimeoutError'))
    }, timeoutMs)
    if (outer?.aborted) this.#leave()
    else outer?.addEventListener('abort', this.#leave, { once: true })
  }

  /** Aborts at either end. */
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

/** Resolves after so many milliseconds. Throws the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
