import { expect, it } from 'vitest'
import { movingDatesWords } from './movingDates.ts'

it.each([
  [2, 30, undefined],
  [2, 41, 'It is day 41 of each quarter, so the dates differ.'],
  [3, 59, undefined],
  [3, 60, 'In a leap year it is a day earlier: the contract counts days.'],
] as const)('says of a plan whose dates move why they do: %i, %i', (frequency, dueDay, words) => {
  expect(movingDatesWords({ frequency, dueDay })).toBe(words)
})
