import type { Log } from '../core/log.ts'
import { causeOf } from './causeOf.ts'

/** Failures of one thing in a row: told to the operator once when they begin, and once when they are over. */
export class Outage {
  readonly #what: string
  readonly #chainId: number
  readonly #log: Log
  readonly #now: () => number
  #since: number | undefined

  /** @param options.what names it in the log: "the index" */
  constructor(options: { what: string; chainId: number; log: Log; now?: () => number }) {
    this.#what = options.what
    this.#chainId = options.chainId
    this.#log = options.log
    this.#now = options.now ?? (() => performance.now())
  }

  failed(error: unknown): void {
    if (this.#since !== undefined) return
    this.#since = this.#now()
    this.#log.warn(`${this.#what} fails; trying again`, { chainId: this.#chainId, cause: causeOf(error) })
  }

  worked(): void {
    const ms = this.lastedMs()
    this.#since = undefined
    if (ms > 0)
      this.#log.info(`${this.#what} works again`, { chainId: this.#chainId, failedMs: Math.round(ms) })
  }

  /** How long it has been failing; 0 where it does not. */
  lastedMs(): number {
    return this.#since === undefined ? 0 : Math.max(1, this.#now() - this.#since)
  }
}
