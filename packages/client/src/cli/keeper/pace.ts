/**
 * When a keeper does the next thing. Below in this order: how long it sleeps between two looks; how long a backlog (the days that wait for
 * remit) is left alone after no profitable remit or a lost race (somebody else's remit was first); what follows a fault of service or
 * node; how many prepares the service still allows.
 */

import { CliError, EXIT } from '../errors.ts'
import { ChainFaultError, type KeeperClock, ServiceBusyError, ServiceFaultError } from './ports.ts'

const SECONDS_PER_DAY = 86_400
const HOUR_MS = 3_600_000
const MOST_HOURS = 6

/** The first block of a day comes some seconds after midnight. */
const AFTER_MIDNIGHT_SECONDS = 5

/** The share of a day's requests that checks may take. The rest is for preparing, sending and restarts. */
const CHECKS_SHARE = 0.8

/** How long to sleep if there is nothing to do before the chain's next day, in milliseconds. */
export function untilNextCheckMs({
  chainTimestamp,
  stoodStill,
  intervalMs,
}: {
  /** Unix seconds of the chain's head. */
  readonly chainTimestamp: number
  /** Whether the head has not moved since the last check, so the chain's midnight may not come soon. */
  readonly stoodStill: boolean
  readonly intervalMs: number
}): number {
  const toMidnight = SECONDS_PER_DAY - (chainTimestamp % SECONDS_PER_DAY) + AFTER_MIDNIGHT_SECONDS
  return stoodStill ? intervalMs : Math.min(intervalMs, toMidnight * 1000)
}

/**
 * How long until a backlog without a profitable remit is prepared again: 1, 2, 4 and then every 6 hours, which is at
 * most 6 write units in a day. A new day starts over.
 * @param checks how many checks in a row found nothing, from 1
 */
export function fruitlessWaitMs(checks: number): number {
  return Math.min(MOST_HOURS, 2 ** (checks - 1)) * HOUR_MS
}

/**
 * How long to leave a failing upstream alone: 2, 4, 8… seconds, up to a longest wait.
 * @param faults how often in a row, from 1
 */
export function faultWaitMs(faults: number, longestMs: number): number {
  return Math.min(longestMs, 1000 * 2 ** faults)
}

/** The shortest interval that a caller's requests of a day pay for, in milliseconds. */
export function leastIntervalMs(dailyRequests: number): number {
  return Math.ceil((SECONDS_PER_DAY * 1000) / Math.max(1, Math.floor(dailyRequests * CHECKS_SHARE)))
}

/**
 * How long to wait after a lost race, in milliseconds: 15 s, 1 and 4 minutes, and then as after a check that found
 * nothing, so that repeated failures stay cheap.
 * @param races how often in a row, from 1
 */
export function raceWaitMs(races: number): number {
  return races <= 3 ? 15_000 * 4 ** (races - 1) : fruitlessWaitMs(races - 3)
}

/** How long a backlog is left alone after it had no profitable remit. The backlog of a new day is another one. */
export class BacklogWait {
  readonly #clock: Pick<KeeperClock, 'now'>
  #backlog = ''
  /** How often in a row there was no profitable remit, and how often somebody else was first. */
  #unprofitable = 0
  #races = 0
  /** Unix milliseconds. */
  #notBefore = 0

  constructor(clock: Pick<KeeperClock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds until it may be checked again; 0 means now. */
  get remainingMs(): number {
    return Math.max(0, this.#notBefore - this.#clock.now())
  }

  /** Another backlog than the last one starts without a wait. @param backlog identifies it */
  noteBacklog(backlog: string): void {
    if (backlog !== this.#backlog) this.forget()
    this.#backlog = backlog
  }

  /** A remit succeeded: the next backlog starts without a wait. */
  forget(): void {
    this.#backlog = ''
    this.#unprofitable = 0
    this.#races = 0
    this.#notBefore = 0
  }

  /** There was no profitable remit. @returns for how many milliseconds the backlog is left alone */
  waitUnprofitable(): number {
    this.#unprofitable += 1
    return this.#wait(fruitlessWaitMs(this.#unprofitable))
  }

  /** Somebody else may have been first. @returns for how many milliseconds the backlog is left alone */
  waitAfterRace(): number {
    this.#races += 1
    return this.#wait(raceWaitMs(this.#races))
  }

  #wait(waitMs: number): number {
    this.#notBefore = this.#clock.now() + waitMs
    return waitMs
  }
}

/** One day: no limit of the service lasts longer. */
const LONGEST_WAIT_MS = 86_400_000
/** A keeper that runs once gives up if nothing answers. */
const MOST_FAULTS_ONCE = 5

/** What to do about a fault. */
interface FaultResponse {
  readonly event: string
  readonly message: string
  readonly waitMs: number
}

/** Counts faults in a row, of any upstream, and says how long to wait. */
export class FaultWait {
  readonly #intervalMs: number
  readonly #once: boolean
  #count = 0

  constructor({ intervalMs, once }: { readonly intervalMs: number; readonly once: boolean }) {
    this.#intervalMs = intervalMs
    this.#once = once
  }

  clear(): void {
    this.#count = 0
  }

  /** Throws errors that waiting cannot fix, and CliError after several faults where the keeper runs once. */
  waitAfter(error: unknown): FaultResponse {
    const event = eventOf(error)
    if (event === undefined || !(error instanceof Error)) throw error
    this.#count += 1
    const { message } = error
    if (this.#once && this.#count >= MOST_FAULTS_ONCE) {
      throw new CliError(message, EXIT.unavailable, { cause: error })
    }
    const askedMs = error instanceof ServiceBusyError ? error.retryAfterSeconds * 1000 : 0
    // A check that fails late has taken two requests; a check with nothing to do takes one.
    const backoffMs = faultWaitMs(this.#count, 2 * this.#intervalMs)
    return { event, message, waitMs: Math.min(LONGEST_WAIT_MS, Math.max(askedMs, backoffMs)) }
  }
}

function eventOf(error: unknown): string | undefined {
  if (error instanceof ServiceBusyError) return 'waiting'
  if (error instanceof ServiceFaultError) return 'service_fault'
  return error instanceof ChainFaultError ? 'rpc_fault' : undefined
}

/** How many prepares the service allows one caller, from its catalog. */
export interface WriteLimits {
  readonly perMinute: number
  /** A UTC day of the wall's clock. */
  readonly perDay: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Counts prepares as the service counts them, so that the service does not have to refuse any. */
export class WriteBudget {
  readonly #limits: WriteLimits
  /** When a prepare was asked for. `isCounted` is false where the service gave its unit back: it then counts for the minute alone. */
  #asked: { readonly atMs: number; isCounted: boolean }[] = []

  constructor(limits: WriteLimits) {
    this.#limits = limits
  }

  /** Milliseconds until the next prepare is allowed; 0 means now. */
  waitMs(nowMs: number): number {
    const { perMinute, perDay } = this.#limits
    const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS
    this.#asked = this.#asked.filter(({ atMs }) => atMs >= Math.min(midnight, nowMs - MINUTE_MS))
    const today = this.#asked.filter(({ atMs, isCounted }) => isCounted && atMs >= midnight)
    if (today.length >= perDay) return midnight + DAY_MS - nowMs
    const lately = this.#asked.filter(({ atMs }) => atMs > nowMs - MINUTE_MS)
    // The `perMinute`th newest. Once it is a minute old, fewer than `perMinute` are left, so one more is allowed.
    const blocking = lately.at(-perMinute)
    return blocking === undefined ? 0 : blocking.atMs + MINUTE_MS - nowMs
  }

  /** Notes that one is asked for. */
  take(nowMs: number): void {
    this.#asked.push({ atMs: nowMs, isCounted: true })
  }

  /** The service gives a unit back where it failed: the last one no longer counts for the day, but still for the minute. */
  giveBack(): void {
    const last = this.#asked.at(-1)
    if (last !== undefined) last.isCounted = false
  }
}
