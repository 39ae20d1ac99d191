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
  return Math.min(MOST_HOURS, 2 ** Math.min(checks - 1, 10)) * HOUR_MS
}

/**
 * How long to leave a failing upstream alone: 2, 4, 8… seconds, up to a longest wait.
 * @param faults how often in a row, from 1
 */
export function faultWaitMs(faults: number, longestMs: number): number {
  return Math.min(longestMs, 1000 * 2 ** Math.min(faults, 20))
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
