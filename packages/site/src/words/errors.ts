import {
  NetworkError,
  NotFoundError,
  RateLimitedError,
  RemitError,
  TimeoutError,
  UnexpectedAnswerError,
} from '@remit/client'
import { atMostWords } from './time.ts'

/** What went wrong in reading, in a sentence. */
export function errorWords(error: unknown): string {
  if (error instanceof RateLimitedError) return limitWords(error.bucket, error.retryAfterSeconds)
  if (error instanceof RemitError) return error.message
  if (error instanceof TimeoutError) return 'The service took too long to answer.'
  if (error instanceof NetworkError) return 'The service cannot be reached. Check your connection.'
  if (error instanceof UnexpectedAnswerError) {
    return 'The service did not answer as it should. Try again in a moment.'
  }
  return 'Something failed on this page.'
}

/** What each part of a link must be, by the name that the service has for it. */
const PARTS: Readonly<Record<string, string>> = {
  id: 'A plan’s id has 66 characters and begins with 0x.',
  address: 'A wallet’s address has 42 characters and begins with 0x.',
  txHash: 'The hash of a transaction has 66 characters and begins with 0x.',
  logIndex: 'The link of a receipt ends with a number.',
}

/** What is wrong with a link that was cut or mistyped, where the service refused its parts; `undefined` for other errors. */
export function cutLinkWords(error: unknown): string | undefined {
  if (!(error instanceof RemitError) || error.status !== 400) return undefined
  const { path } = Object(error.issues[0])
  return PARTS[String(path)]
}

/** The service's names of the limits that last a day. All others last a minute. */
const DAILY: readonly unknown[] = ['dailyTotalRequests', 'subgraphDaily', 'writeDaily']

/**
 * Says which limit was reached, and how long to wait.
 * @param bucket the limit that was reached, as the service names it
 */
export function limitWords(bucket: unknown, retryAfterSeconds = 60): string {
  const span = DAILY.includes(bucket) ? 'day' : 'minute'
  return `You have asked for more than the service gives in a ${span}. Try again in ${atMostWords(retryAfterSeconds)}.`
}

export function isNotFound(error: unknown): boolean {
  return error instanceof NotFoundError
}
