/** How a subscription ends: who did it, and why. One sentence each, the same on every page. */
export const ENDINGS = {
  left: 'The subscriber left',
  removed: 'The provider removed the subscriber',
  dropped: 'A payment failed, so the contract ended the subscription',
  cancelled: 'The provider cancelled the plan',
} as const

export type Ending = keyof typeof ENDINGS

/** The same, said to the subscriber. */
export const OWN_ENDINGS: Readonly<Record<Ending, string>> = {
  ...ENDINGS,
  left: 'You left',
  removed: 'The provider removed you',
}

/** The sentence for an ending by its name in an answer. */
export function endingWords(name: string, endings: Readonly<Record<Ending, string>>): string {
  return Object.entries(endings).find(([ending]) => ending === name)?.[1] ?? name
}
