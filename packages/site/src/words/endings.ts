/** How a subscription ends: who did it, and why. One sentence each, the same on every page. */
export const ENDINGS = {
  left: 'The member left',
  removed: 'The provider removed the member',
  dropped: 'A payment failed, so the contract ended the subscription',
  cancelled: 'The provider cancelled the plan',
} as const

/** For the day on which a cancelled plan’s member gets the reserve back: whoever runs the contract pays it out, maybe much later. */
export const CLEANED_UP = 'Reserve back: the plan had been cancelled'

export type Ending = keyof typeof ENDINGS

const OWN: Readonly<Record<Ending, string>> = {
  ...ENDINGS,
  left: 'You left',
  removed: 'The provider removed you',
}

/** The sentence for an ending. @param isOwn whether it is said to the subscriber */
export function endingWords(name: string, isOwn: boolean): string {
  return Object.entries(isOwn ? OWN : ENDINGS).find(([ending]) => ending === name)?.[1] ?? name
}
