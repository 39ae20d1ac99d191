import type { Log } from '../../core/ports/log.ts'
import { LimiterUnavailableError } from '../../errors/access.ts'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'

/** The probe's own bucket: a real decision, since a Redis may answer pings and refuse to write. */
const PROBE: Demand = { bucket: 'probe', limit: 1_000, windowMs: 1_000 }
const PROBE_EVERY_MS = 250

export interface GracefulCountersOptions {
  readonly shared: Counters & { forget(): void }
  /** What counts meanwhile. It is kept from one outage to the next. */
  readonly own: Counters
  readonly graceMs: number
  readonly log: Log
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/**
 * Shared counters with a bounded grace for when they are away.
 *
 * For `graceMs` after the shared counters went away, each process counts by itself: the service goes on, and n
 * processes together may admit up to n times the limits, beside what was taken before. That is the price of
 * going on, and why it is bounded: after it nothing is admitted, and metered requests are answered 503
 * LIMITER_UNAVAILABLE. What was counted meanwhile is not carried over. The shared counters are tried four times
 * a second, and used again as soon as they decide. Each outage is logged once, when it begins, and when its
 * grace ends and when it is over.
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

  /** Notes that the shared counters are away, and looks for them until they are back. */
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
      // Away, in whatever way.
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
