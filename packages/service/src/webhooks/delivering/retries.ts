/** When a delivery that failed is attempted again, and when it is given up. */
export interface Retries {
  /** The wait before the second attempt. Each further one is three times as long. */
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** After this time since its first attempt, a delivery that fails is given up. */
  readonly giveUpAfterMs: number
  /** After this time of nothing but failures, the endpoint is paused: it is sent nothing until its owner resumes it. */
  readonly pauseEndpointAfterMs: number
}

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS

/** 5 s, 15 s, 45 s, 2, 7, 20 minutes, 1, 3, 8 hours, and every 8 hours until three days are over. */
export const RETRIES: Retries = {
  firstWaitMs: 5_000,
  longestWaitMs: 8 * HOUR_MS,
  giveUpAfterMs: 3 * DAY_MS,
  pauseEndpointAfterMs: 5 * DAY_MS,
}

/** After so many failures in a row an endpoint gets one request at a time, with a wait after each. */
export const FAILURES_TO_SLOW_DOWN = 3

/** An endpoint that asks for more is asked again after this time. */
const MOST_RETRY_AFTER_MS = DAY_MS
/** The share by which a wait is longer or shorter, at random. */
const JITTER = 0.2

/**
 * How long to wait after the nth failure in a row, in milliseconds. Spread by a fifth, so that what failed together does
 * not come back together.
 */
export function waitAfter(failures: number, retries: Retries, retryAfterSeconds = 0): number {
  const wait = Math.min(retries.longestWaitMs, retries.firstWaitMs * 3 ** Math.max(0, failures - 1))
  const spread = wait * (1 + JITTER * (2 * Math.random() - 1))
  return Math.round(Math.max(spread, Math.min(retryAfterSeconds * 1_000, MOST_RETRY_AFTER_MS)))
}
