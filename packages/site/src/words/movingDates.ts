import type { Schedule } from './schedule.ts'

/** Day 60 of a common year is 1 March; of a leap year it is 29 February. From it on, dates are a day earlier there. */
const MARCH = 60

/** Day 31 of a quarter is 31 January, and 1 May: April has 30 days. From it on, the four dates differ. */
const BEYOND_APRIL = 31

/**
 * Says that a plan's dates move from period to period, and why; `undefined` where they do not. The contract counts days from
 * the first of a quarter or year, and these are not equally long.
 */
export function movingDatesWords({ frequency, dueDay }: Schedule): string | undefined {
  if (frequency === 2 && dueDay >= BEYOND_APRIL)
    return `It is day ${dueDay} of each quarter, so the dates differ.`
  if (frequency === 3 && dueDay >= MARCH)
    return 'In a leap year it is a day earlier: the contract counts days.'
  return undefined
}
