import type { Log } from '@remit/engine/ports/log'
import { CountersAwayError } from './counters.ts'
import { GracefulCounters } from './GracefulCounters.ts'
import { Limits, type LimitsOptions } from './Limits.ts'
import { MemoryCounters } from './MemoryCounters.ts'
import { RedisCounters } from './RedisCounters.ts'

// Opens the limits over the configured counters: those of this process, or those in a Redis that replicas share, whose memory is watched.

interface OpenLimitsOptions extends Omit<LimitsOptions, 'counters'> {
  /** `undefined`: this process counts alone. It may hold a password and is never logged. */
  readonly redisUrl: string | undefined
  /** How long each process counts alone while Redis is away, in milliseconds. After it, metered requests get 503. */
  readonly graceMs: number
  readonly log: Log
}

export interface OpenLimits {
  readonly limits: Limits
  /** How much of its memory the Redis of the counters uses, from 0 to 1; `undefined` where that is not known. */
  fullness(): number | undefined
  close(): void
}

/** Opens limits over the configured counters. A Redis that cannot be reached does not stop the start: it is an outage. */
export async function openLimits({
  redisUrl,
  graceMs,
  log,
  ...options
}: OpenLimitsOptions): Promise<OpenLimits> {
  const own = new MemoryCounters()
  if (redisUrl === undefined) {
    return { limits: new Limits({ ...options, counters: own }), fullness: () => undefined, close: () => {} }
  }
  const shared = new RedisCounters(redisUrl)
  const counters = new GracefulCounters({ shared, own, graceMs, log })
  try {
    await shared.connect()
  } catch (error) {
    if (!(error instanceof CountersAwayError)) throw error
    counters.lose(error.reason)
  }
  const fullness = new RedisFullness({ counters: shared, log })
  return {
    limits: new Limits({ ...options, counters }),
    fullness: () => fullness.ratio(),
    close() {
      fullness.close()
      counters.close()
      shared.close()
    },
  }
}

/** How often the memory of Redis is looked at. It takes minutes at least to fill it. */
const LOOK_EVERY_MS = 30_000
/** The part of `maxmemory` at which an alarm is logged: early enough to raise it before Redis refuses to write. */
const ALARM_AT = 0.8
/** The part at which the alarm ends: lower, so that a value near the alarm is not logged again and again. */
const OVER_AT = 0.75

/** Watches how much of its `maxmemory` the Redis of the counters uses. A full one refuses every write, which is an outage. */
export class RedisFullness {
  readonly #counters: Pick<RedisCounters, 'memory'>
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #ratio: number | undefined
  #alarmed = false

  constructor(options: { counters: Pick<RedisCounters, 'memory'>; log: Log }) {
    this.#counters = options.counters
    this.#log = options.log
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
    void this.look()
  }

  /** The last seen ratio, from 0 to about 1; `undefined` where Redis has no limit or is away. */
  ratio(): number | undefined {
    return this.#ratio
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Asks now. Never rejects. */
  async look(): Promise<void> {
    try {
      const { usedBytes, maxBytes } = await this.#counters.memory()
      this.#ratio = maxBytes === 0 ? undefined : usedBytes / maxBytes
      this.#logChange({ usedBytes, maxBytes })
    } catch {
      // GracefulCounters logs that Redis is away.
      this.#ratio = undefined
    }
  }

  #logChange(memory: { usedBytes: number; maxBytes: number }): void {
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
