import { expect, it } from 'vitest'
import { observedAuthFailures } from './observedAuthFailures.ts'

it('tells of failed credentials that were counted, and of those that were not even looked at', async () => {
  const told: unknown[] = []
  const spent = new Error('the failures are spent')
  let left = 1
  const failures = observedAuthFailures(
    {
      admitCredentials: () => {
        if (left === 0) throw spent
      },
      takeAuthFailure: async () => {
        if (left === 0) throw spent
        left -= 1
      },
    },
    { limiterDecided: ({ durationMs: _, ...decision }) => void told.push(decision) },
  )
  failures.admitCredentials('203.0.113.7')
  await failures.takeAuthFailure('203.0.113.7')
  await expect(failures.takeAuthFailure('203.0.113.7')).rejects.toBe(spent)
  expect(() => failures.admitCredentials('203.0.113.7')).toThrow(spent)
  const decided = (outcome: string) => ({ lane: 'free', outcome, buckets: ['authFailures'] })
  expect(told).toEqual([decided('admitted'), decided('refused'), decided('refused')])
})
