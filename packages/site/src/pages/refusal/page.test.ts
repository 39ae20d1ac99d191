import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { expect, it } from 'vitest'

usePageModules()

it.each([
  [
    { status: 429, bucket: 'dailyTotalRequests', retryAfterSeconds: 4_382 },
    /in a day. Try again in 2 hours./,
  ],
  [{ status: 429, bucket: 'globalRpm', retryAfterSeconds: 12 }, /in a minute. Try again in 12 seconds./],
  [{ status: 429 }, /in a minute. Try again in 1 minute./],
  [{ status: 503, error: 'The API is off.' }, /^The API is off.$/],
  [{ status: 500 }, /did not say why/],
])('%j is told as what it is', async (refusal, words) => {
  const { reasonWords } = await import('./page.tsx')
  expect(reasonWords(refusal)).toMatch(words)
})
