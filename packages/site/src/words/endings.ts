/** How a subscription ends: who did it, and why. One sentence each, the same on every page. */
export const ENDINGS = {
  left: 'The member left',
  removed: 'The provider removed the member',
  dropped: 'A payment failed, so the contract ended the subscription',
  cancelled: 'The provider cancelled the plan',
} as const

export type Ending = keyof typeof ENDINGS
