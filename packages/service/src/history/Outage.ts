import { withoutUrls } from '@remit/engine/network/urlSecrets'
import type { Log } from '@remit/engine/ports/log'

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
    this.#log.warn(`${this.#what} fails; trying again`, { chainId: this.#chainId, cause: errorText(error) })
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

/** A chain of causes may be a circle. */
const MOST_CAUSES = 4

/** The messages of an error and its causes. URLs are cut: they may hold passwords and keys. */
export function errorText(error: unknown): string {
  const parts: string[] = []
  for (let next = error; next instanceof Error && parts.length < MOST_CAUSES; next = next.cause) {
    parts.push(`${next.name}: ${next.message}`)
  }
  return withoutUrls(parts.join(', by '))
}
