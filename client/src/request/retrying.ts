import type { Wait } from '../call/Wait.ts'
import { RateLimitedError } from '../errors/access.ts'
import { RemitError } from '../errors/RemitError.ts'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors/transport.ts'
import { BlockNotSeenError } from '../errors/upstream.ts'

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000

/**
 * How many milliseconds to wait before the same request is tried again, or `undefined` where that is of no use.
 *
 * Where the service says when to come back, the wait is exactly that long. Where that is longer than
 * `maxRetryAfterSeconds` there is no wait: a program must not stop for an hour without a word.
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
  // A 503 of the service that will pass by itself says when to come back. Without that, waiting is of no use.
  return status === 503 && error instanceof RemitError ? undefined : backoffMs
}

/**
 * What is waited for after a try has failed, for `onWait`.
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
