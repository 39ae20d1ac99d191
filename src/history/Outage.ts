import type { Log } from '../core/ports/log.ts'
import { causeOf } from './causeOf.ts'

/** A series of failures of one thing. It is logged once when it begins and once when it is over. */
export class Outage {
  readonly #what: string
  readonly #chainId: number
  readonly #log: Log
  readonly #now: () => number
  #since: number | undefined

  /** @param options.what its name in the log, such as "the index" */
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

  /** How long it has been failing; 0 if it works. */
  lastedMs(): number {
    return this.#since === undefined ? 0 : Math.max(1, this.#now() - this.#since)
  }
}
