import type { Schedule } from '../../words/schedule.ts'

/** From this day of a year on, a leap year's dates are a day earlier: it is 1 March in a common year. */
const MARCH = 60

/** From this day of a quarter on, its dates differ: April has 30 days. */
const BEYOND_APRIL = 31

/**
 * Why the dates of a plan move, where they do; else `undefined`. The contract counts the days of a quarter and of a year, and
 * these are not equally long.
 */
export function movingDatesWords({ frequency, dueDay }: Schedule): string | undefined {
  if (frequency === 2 && dueDay >= BEYOND_APRIL)
    return `It is day ${dueDay} of each quarter, so the dates differ.`
  if (frequency === 3 && dueDay >= MARCH)
    return 'In a leap year it is a day earlier: the contract counts days.'
  return undefined
}
