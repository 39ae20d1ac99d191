/** What is said of a transaction that was sent, by its state. */
export const STANDINGS = {
  pending: 'may still go through.',
  success: 'went through.',
  reverted: 'failed.',
  replaced: 'was replaced in the wallet.',
} as const
