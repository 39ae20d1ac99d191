/** What the agent was asked for, as limits that the rest of the program enforces. */
export interface Goal {
  readonly frequency: 'weekly' | 'monthly' | 'quarterly' | 'yearly'
  /** The token's symbol, as the person said it. */
  readonly symbol: string
  /** The most that one period may cost, a decimal number of whole tokens. */
  readonly mostPerPeriod: string
}

const FREQUENCIES = ['weekly', 'monthly', 'quarterly', 'yearly'] as const
const PERIODS = ['week', 'month', 'quarter', 'year'] as const

/** The protocol's number of a frequency, which is its place in the list. */
export const frequencyNumber = (goal: Goal): number => FREQUENCIES.indexOf(goal.frequency)

export const periodOf = (goal: Goal): string => PERIODS[frequencyNumber(goal)] ?? goal.frequency

/**
 * Reads a sentence such as "keep me subscribed to the cheapest weekly plan in USDC, at most 15 USDC a week".
 *
 * A model would stand here, and take any wording. But code enforces the limits that it reads out of the sentence,
 * whatever the model is told later.
 */
export function parseGoal(sentence: string): Goal {
  const match =
    /cheapest (weekly|monthly|quarterly|yearly) plan in (\w+), at most (\d+(?:\.\d+)?) (\w+) an? (week|month|quarter|year)\b/i.exec(
      sentence,
    )
  const [, adverb = '', symbol = '', most = '', again = '', period = ''] = match ?? []
  const frequency = FREQUENCIES.find((one) => one === adverb.toLowerCase())
  if (frequency === undefined || symbol.toUpperCase() !== again.toUpperCase()) throw notUnderstood(sentence)
  const goal: Goal = { frequency, symbol: symbol.toUpperCase(), mostPerPeriod: most }
  if (periodOf(goal) !== period.toLowerCase()) throw notUnderstood(sentence)
  return goal
}

function notUnderstood(sentence: string): Error {
  return new Error(
    `I do not understand "${sentence}". Say it like this: keep me subscribed to the cheapest weekly plan in USDC, at most 15 USDC a week`,
  )
}
