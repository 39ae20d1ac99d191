import { RateLimitedError } from '@remit/client'
import { describe, expect, it } from 'vitest'
import { errorWords } from './errors.ts'

const limited = (bucket: string, retryAfterSeconds: number) => {
  const about = { status: 429, code: 'RATE_LIMITED', requestId: undefined, issues: [], facts: { bucket } }
  return errorWords(new RateLimitedError('limited', { ...about, retryAfterSeconds }))
}

describe('a limit that is reached', () => {
  it('is that of the minute, and the wait is never told too short', () => {
    expect(limited('globalRpm', 61)).toBe(
      'You have asked for more than the service gives in a minute. Try again in 2 minutes.',
    )
  })

  it('is that of the day where the day is spent', () => {
    expect(limited('dailyTotalRequests', 36_000)).toBe(
      'You have asked for more than the service gives in a day. Try again in 10 hours.',
    )
  })
})
