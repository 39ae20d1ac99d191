/** A bell that is not forgotten: rung while nobody waits, it ends the next wait at once. */
export class News {
  #rung = false
  #heard: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#heard?.()
  }

  /** Until it rings, `ms` have passed or the signal aborts. Keeps the process alive meanwhile. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#heard = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#heard, { once: true })
      })
      if (this.#heard !== undefined) signal.removeEventListener('abort', this.#heard)
      this.#heard = undefined
    }
    this.#rung = false
  }
}
