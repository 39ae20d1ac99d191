import type { Wait } from '../call/CallOptions.ts'
import {
  BlockNotSeenError,
  NetworkError,
  RateLimitedError,
  RemitError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../errors/RemitError.ts'

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000

/**
 * How many milliseconds to wait before the same request is tried again; `undefined` if trying again is useless.
 *
 * Where the service says when to come back, the wait is exactly that long. If that is longer than
 * `maxRetryAfterSeconds`, it is `undefined`: a program must not hang for an hour in silence.
 * @param attempt 0 for the first
 * @param random from 0 to 1
 */
export function waitBefore(
  error: unknown,
  attempt: number,
  { maxRetryAfterSeconds, random }: { maxRetryAfterSeconds: number; random: () => number },
): number | undefined {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS) * (0.5 + random() / 2)
  if (error instanceof NetworkError || error instanceof TimeoutError) return backoffMs
  if (!(error instanceof RemitError || error instanceof UnexpectedAnswerError)) return undefined
  const { status, retryAfterSeconds } = error
  if (![408, 429, 502, 503, 504].includes(status)) return undefined
  if (retryAfterSeconds !== undefined) {
    return retryAfterSeconds > maxRetryAfterSeconds ? undefined : retryAfterSeconds * 1000
  }
  // A temporary 503 of the service says when to come back. Without that, waiting is useless.
  return status === 503 && error instanceof RemitError ? undefined : backoffMs
}

/**
 * What `onWait` is told after a failed try.
 * @param error what the try failed with
 */
export function waitFor(error: unknown, forMs: number): Wait {
  if (error instanceof RateLimitedError) {
    const { bucket, lane, limit } = error
    return { for: 'limit', forMs, bucket, lane, limit }
  }
  if (error instanceof BlockNotSeenError) {
    const { minBlock } = error.facts
    return { for: 'block', forMs, minBlock: typeof minBlock === 'number' ? minBlock : undefined }
  }
  return { for: 'service', forMs, message: error instanceof Error ? error.message : String(error) }
}
