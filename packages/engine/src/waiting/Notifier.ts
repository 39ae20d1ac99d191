/** Ends the wait of one waiting task. A notification that comes while nobody waits ends the next wait at once. */
export class Notifier {
  #isPending = false
  #endWait: (() => void) | undefined

  notify(): void {
    this.#isPending = true
    this.#endWait?.()
  }

  /** Waits for a notification, `ms` or the signal. Keeps the process alive meanwhile. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isPending && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#endWait = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#endWait, { once: true })
      })
      if (this.#endWait !== undefined) signal.removeEventListener('abort', this.#endWait)
      this.#endWait = undefined
    }
    this.#isPending = false
  }
}
