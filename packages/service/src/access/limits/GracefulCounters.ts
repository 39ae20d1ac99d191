import type { Log } from '@remit/engine/ports/log'
import { LimiterUnavailableError } from '../../errors/access.ts'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'

/** The probe takes a unit of its own bucket, because a Redis may answer pings and refuse writes. */
const PROBE: Demand = { bucket: 'probe', limit: 1_000, windowMs: 1_000 }
/** How often the shared counters are tried during an outage. */
const PROBE_EVERY_MS = 250

interface GracefulCountersOptions {
  /** `forget` drops what it remembers of spent buckets: a Redis that restarts has forgotten it too. */
  readonly shared: Counters & { forget(): void }
  /** The counters during an outage. They are kept for the next outage. */
  readonly own: Counters
  readonly graceMs: number
  readonly log: Log
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/**
 * Shared counters with a grace period for outages.
 *
 * During the first `graceMs` of an outage each process counts alone. So n processes together may admit n times the
 * limits, and that is why the grace is bounded. After it, metered requests get 503 LIMITER_UNAVAILABLE. The shared
 * counters are tried four times a second and used again as soon as they answer; what was counted meanwhile is not
 * added to them. The log says once when an outage begins, when its grace ends, and when it is over.
 */
export class GracefulCounters implements Counters {
  readonly #options: Required<GracefulCountersOptions>
  #away: { readonly sinceMs: number; pastGrace: boolean } | undefined
  #closed = false

  constructor(options: GracefulCountersOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** Throws LimiterUnavailableError once the grace is over. */
  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const { shared, own } = this.#options
    if (this.#away === undefined) {
      try {
        return await shared.take(identity, demands, rule)
      } catch (error) {
        if (!(error instanceof CountersAwayError)) throw error
        this.lose(error.reason)
      }
    }
    this.#refuseAfterGrace()
    return own.take(identity, demands, rule)
  }

  spent(identity: string, demand: Demand): Usage | undefined {
    const { shared, own } = this.#options
    return (this.#away === undefined ? shared : own).spent(identity, demand)
  }

  /** Begins an outage, and probes the shared counters until they are back. */
  lose(reason: string): void {
    if (this.#away !== undefined || this.#closed) return
    const { log, graceMs, shared, now } = this.#options
    this.#away = { sinceMs: now(), pastGrace: false }
    shared.forget()
    log.warn('The shared counters are away: limits are counted in this process for now', {
      reason,
      graceSeconds: graceMs / 1000,
    })
    this.#lookAgain()
  }

  close(): void {
    this.#closed = true
  }

  #lookAgain(): void {
    setTimeout(() => void this.#look(), PROBE_EVERY_MS).unref()
  }

  async #look(): Promise<void> {
    const { shared, log, now } = this.#options
    if (this.#closed) return
    try {
      await shared.take('probe', [PROBE], 'always')
    } catch {
      // Still away, whatever the error is.
      this.#lookAgain()
      return
    }
    const awaySeconds = Math.round((now() - (this.#away?.sinceMs ?? now())) / 1000)
    this.#away = undefined
    log.info('The shared counters are back', { awaySeconds })
  }

  #refuseAfterGrace(): void {
    const { now, graceMs, log } = this.#options
    if (this.#away === undefined || now() - this.#away.sinceMs <= graceMs) return
    if (!this.#away.pastGrace) {
      this.#away.pastGrace = true
      log.error('The shared counters have been away for longer than the grace: metered requests are refused')
    }
    throw new LimiterUnavailableError()
  }
}
