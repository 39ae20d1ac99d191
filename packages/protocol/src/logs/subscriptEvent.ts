/** The kinds of a SubLog, in the service's words, with their numbers in the contract (docs/protocol.md). */
export const SUBSCRIPT_EVENT_NUMBERS = {
  Created: 0,
  Cancelled: 1,
  ProviderPaid: 2,
  Failed: 3,
  ProviderRefunded: 4,
  SubscriberPaid: 5,
  Subscribed: 6,
  Unsubscribed: 7,
  FeeFilled: 8,
  SubscriberRefunded: 9,
} as const

export type SubscriptEventName = keyof typeof SUBSCRIPT_EVENT_NUMBERS

interface SubscriptEvent {
  readonly name: SubscriptEventName
  /** The enum member's name in the contract. */
  readonly contractName: string
  /** What the log's `amount` means. It is not always what moved. */
  readonly amountMeans: string
}

/** The SubLog events by their number. */
export const SUBSCRIPT_EVENTS: readonly SubscriptEvent[] = [
  {
    name: 'Created',
    contractName: 'CREATE',
    amountMeans: 'The price of one full period. Nothing moved.',
  },
  {
    name: 'Cancelled',
    contractName: 'CANCEL',
    amountMeans: 'Always 0. Nothing moved.',
  },
  {
    name: 'ProviderPaid',
    contractName: 'PROVPAID',
    amountMeans: 'What was paid to the provider.',
  },
  {
    name: 'Failed',
    contractName: 'FAILED',
    amountMeans: 'Always 0: a due payment could not be taken, and the subscriber was dropped.',
  },
  {
    name: 'ProviderRefunded',
    contractName: 'PROVREFUND',
    amountMeans:
      'What the provider got of a fee balance when its subscriber left or was dropped; 0 where it was empty.',
  },
  {
    name: 'SubscriberPaid',
    contractName: 'SUBPAID',
    amountMeans:
      'The full period taken from the subscriber: the same money as the ProviderPaid that follows it.',
  },
  {
    name: 'Subscribed',
    contractName: 'SUBSCRIBED',
    amountMeans:
      'The price of one full period. What was charged at once is in the FeeFilled and ProviderPaid beside it.',
  },
  {
    name: 'Unsubscribed',
    contractName: 'UNSUBSCRIBED',
    amountMeans: 'The price of one full period. Nothing moved.',
  },
  {
    name: 'FeeFilled',
    contractName: 'FEEFILL',
    amountMeans:
      'Beside a Subscribed, what went into the fee balance; in a remit, the full period, ' +
      'of which a ProviderPaid beside it states the part that went to the provider.',
  },
  {
    name: 'SubscriberRefunded',
    contractName: 'SUBREFUND',
    amountMeans:
      'The price of one full period, whatever was refunded: what moved is in the token transfer beside it.',
  },
]

// Safe: they are its keys, in the order of their numbers.
const NAMES = Object.keys(SUBSCRIPT_EVENT_NUMBERS) as SubscriptEventName[]

/** The event's name. @throws RangeError for a number that the enum lacks */
export function subscriptEventName(subScriptEvent: number): SubscriptEventName {
  const name = NAMES[subScriptEvent]
  if (name === undefined) throw new RangeError(`${subScriptEvent} is not a SubLog event (0 to 9)`)
  return name
}
