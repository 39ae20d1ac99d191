import { expect, it } from 'vitest'
import { churnWords } from './numbers.ts'

/** @param numbers who were subscribed when the month began, who joined, left and was dropped in it */
const churn = ([before, joined, left, dropped]: readonly [number, number, number, number]) =>
  churnWords({
    churn: { voluntary: { ended: left, of: before }, involuntary: { ended: dropped, of: before } },
    subscribers: { new: joined, left, removed: 0, dropped, cancelled: 0, activeAtEnd: 0 },
  })

it.each([
  [[40, 0, 1, 1], '2 of 40 (5%)'],
  [[40, 10, 0, 0], '0 of 50 (0%)'],
  // All came and went within the month.
  [[0, 3, 2, 1], '3 of 3 (100%)'],
  [[2, 3, 4, 0], '4 of 5 (80%)'],
  // All were lost before it began.
  [[0, 0, 0, 0], 'nobody was subscribed'],
] as const)('who ended in a month is counted of all who were subscribed in it: %j', (numbers, words) => {
  expect(churn(numbers)).toBe(words)
})
