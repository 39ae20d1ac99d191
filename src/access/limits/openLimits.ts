import type { Log } from '../../core/ports/log.ts'
import { CountersAwayError } from './counters.ts'
import { GracefulCounters } from './GracefulCounters.ts'
import { Limits, type LimitsOptions } from './Limits.ts'
import { MemoryCounters } from './MemoryCounters.ts'
import { RedisCounters } from './RedisCounters.ts'
import { RedisFullness } from './RedisFullness.ts'

interface OpenLimitsOptions extends Omit<LimitsOptions, 'counters'> {
  /** `undefined`: this process counts alone. It may hold a password and is never logged. */
  readonly redisUrl: string | undefined
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
