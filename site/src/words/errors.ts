import { NetworkError, NotFoundError, RateLimitedError, RemitError, TimeoutError } from '@remit/client'
import { atMostWords } from './time.ts'

/** What went wrong in reading, in a sentence. */
export function errorWords(error: unknown): string {
  if (error instanceof RateLimitedError) {
    const span = error.bucket === 'dailyTotalRequests' ? 'day' : 'minute'
    const wait = atMostWords(error.retryAfterSeconds ?? 60)
    return `You have asked for more than the service gives in a ${span}. Try again in ${wait}.`
  }
  if (error instanceof RemitError) return error.message
  if (error instanceof TimeoutError) return 'The service took too long to answer.'
  if (error instanceof NetworkError) return 'The service cannot be reached. Check your connection.'
  return 'Something failed on this page.'
}

export function isNotFound(error: unknown): boolean {
  return error instanceof NotFoundError
}
