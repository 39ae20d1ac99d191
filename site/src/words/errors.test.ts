import { RateLimitedError, UnexpectedAnswerError } from '@remit/client'
import { describe, expect, it } from 'vitest'
import { LaneLimits } from '../../../src/core/lanes.ts'
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

  it.each(LaneLimits.keyof().options)('is told with its own span: %s', (bucket) => {
    const span = bucket.endsWith('Rpm') ? 'minute' : 'day'
    expect(limited(bucket, 36_000)).toBe(
      `You have asked for more than the service gives in a ${span}. Try again in 10 hours.`,
    )
  })
})

it('what answers in the service’s place is no failure of the page', () => {
  expect(errorWords(new UnexpectedAnswerError('502', { status: 502 }))).toBe(
    'The service did not answer as it should. Try again in a moment.',
  )
})
