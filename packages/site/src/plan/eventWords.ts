import type { HistoryEvent } from '@remit/client'

/** What an event of a plan's history means. */
const WORDS: Readonly<Record<string, string>> = {
  Created: 'Plan published',
  Cancelled: 'Plan cancelled by its provider',
  Subscribed: 'Subscribed',
  Unsubscribed: 'Subscription ended',
  ProviderPaid: 'Paid to the provider',
  SubscriberPaid: 'Taken from the subscriber',
  FeeFilled: 'Fee balance filled',
  Failed: 'Payment failed, subscriber dropped',
  ProviderRefunded: 'Fee balance to the provider',
  SubscriberRefunded: 'Fee balance back to the subscriber',
}

export function eventWords({ eventName }: HistoryEvent): string {
  return WORDS[eventName] ?? eventName
}

/** Events whose amount says what moved; that of the others is the plan's price. */
const MOVED = new Set(['ProviderPaid', 'FeeFilled', 'ProviderRefunded'])

export function movedIn({ eventName, amount }: HistoryEvent): string | undefined {
  return MOVED.has(eventName) ? (amount ?? undefined) : undefined
}

/** Whether there is a receipt of it. */
export function hasReceipt({ eventName }: HistoryEvent): boolean {
  return eventName !== 'Created' && eventName !== 'Cancelled'
}
