import type { Log } from '../../core/ports/log.ts'
import type { RedisLink } from './RedisLink.ts'

const LOOK_EVERY_MS = 30_000
/** Early enough to give Redis more room before it refuses to count. */
const ALARM_AT = 0.8
/** Below the alarm, so that one that stands at it is not told of again and again. */
const OVER_AT = 0.75

/**
 * Watches how much of its room (`maxmemory`) the Redis of the counters has taken: one that is full refuses every
 * write, and then nobody is admitted.
 */
export class RedisFullness {
  readonly #link: Pick<RedisLink, 'memory'>
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #ratio: number | undefined
  #alarmed = false

  constructor(options: { link: Pick<RedisLink, 'memory'>; log: Log; everyMs?: number }) {
    this.#link = options.link
    this.#log = options.log
    this.#timer = setInterval(() => void this.look(), options.everyMs ?? LOOK_EVERY_MS).unref()
    void this.look()
  }

  /** From 0 to about 1, as it was seen last; `undefined` where Redis has no limit, or is away. */
  ratio(): number | undefined {
    return this.#ratio
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Asks now. Never rejects. */
  async look(): Promise<void> {
    try {
      const { usedBytes, maxBytes } = await this.#link.memory()
      this.#ratio = maxBytes === 0 ? undefined : usedBytes / maxBytes
      this.#tell({ usedBytes, maxBytes })
    } catch {
      // That it is away is told by whoever counts.
      this.#ratio = undefined
    }
  }

  #tell(memory: { usedBytes: number; maxBytes: number }): void {
    const ratio = this.#ratio ?? 0
    if (!this.#alarmed && ratio >= ALARM_AT) {
      this.#alarmed = true
      this.#log.error('The Redis of the counters is almost full: raise its maxmemory', memory)
    } else if (this.#alarmed && ratio < OVER_AT) {
      this.#alarmed = false
      this.#log.info('The Redis of the counters has room again', memory)
    }
  }
}
