import type { HistoryEvent } from '@remit/client'
import { ENDINGS, type Ending } from '../words/endings.ts'

/** What an event of a plan's history means. */
const WORDS: Readonly<Record<string, string>> = {
  Created: 'Plan published',
  Cancelled: ENDINGS.cancelled,
  Subscribed: 'Subscribed',
  ProviderPaid: 'Paid to the provider',
  SubscriberPaid: 'Paid by the member',
  FeeFilled: 'Collecting reserve filled',
  ProviderRefunded: 'Collecting reserve to the provider',
  SubscriberRefunded: 'Collecting reserve back to the member',
}

/** @param events those that are known, with all that come after it */
export function eventWords(event: HistoryEvent, events: readonly HistoryEvent[]): string {
  const ending = endingOf(event, events)
  if (ending !== undefined) return ENDINGS[ending]
  return isRefill(event, events)
    ? 'Payment that fills the collecting reserve'
    : (WORDS[event.eventName] ?? event.eventName)
}

/** Where remit fills a reserve, the log states the whole payment; where somebody subscribes, what went into the reserve. */
function isRefill({ eventName, transactionHash }: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  return (
    eventName === 'FeeFilled' &&
    !events.some((one) => one.eventName === 'Subscribed' && one.transactionHash === transactionHash)
  )
}

type Logged = Pick<HistoryEvent, 'transactionHash' | 'logIndex'> & {
  readonly id: string | null
  readonly subscriber: string | null
  readonly eventName: string
}

/** What the contract logs right behind the end of a subscription. Where a provider removes somebody, nothing. */
const LOGGED_BEHIND: Readonly<Record<string, Ending>> = {
  ProviderRefunded: 'left',
  SubscriberRefunded: 'cancelled',
  Failed: 'dropped',
}

/**
 * How a subscription ended with this event; `undefined` for an event of another kind.
 * @param events those that are known, with all that come after it
 */
export function endingOf(event: Logged, events: readonly Logged[]): Ending | undefined {
  if (event.eventName !== 'Unsubscribed') return undefined
  const [next] = events
    .filter(
      ({ transactionHash, logIndex, id, subscriber }) =>
        transactionHash === event.transactionHash &&
        id === event.id &&
        subscriber === event.subscriber &&
        logIndex > event.logIndex,
    )
    .sort((one, other) => one.logIndex - other.logIndex)
  return LOGGED_BEHIND[next?.eventName ?? ''] ?? 'removed'
}

/**
 * What is shown of a plan's events. What is logged beside them says the same: the payment to the provider, the end of the
 * subscription, and, where a plan was cancelled, the reserve that goes back to a member, often days after the cancelling.
 */
export function shownEvents(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.filter(
    (event) =>
      event.eventName !== 'SubscriberPaid' &&
      event.eventName !== 'Failed' &&
      endingOf(event, events) !== 'cancelled',
  )
}

/** Events whose amount says what moved; that of the others is the plan's price. */
const MOVED = new Set(['ProviderPaid', 'FeeFilled', 'ProviderRefunded'])

/** @param events those that are known, newest first */
export function movedIn(event: HistoryEvent, events: readonly HistoryEvent[]): string | undefined {
  const { eventName, amount } = event
  // What would say whether it is a refill may be on the next page.
  if (eventName === 'FeeFilled' && events.at(-1) === event) return undefined
  return MOVED.has(eventName) ? (amount ?? undefined) : undefined
}

/** Whether it gave a reserve back to its subscriber. The contract does not log how much that was: its receipt says it. */
export function hasGivenBack(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  return event.eventName === 'SubscriberRefunded' || endingOf(event, events) === 'removed'
}

/** What the contract logs beside these, in the same transaction, is on the same receipt. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  Subscribed: [],
  Unsubscribed: [],
  FeeFilled: ['Subscribed'],
  ProviderPaid: ['Subscribed', 'FeeFilled'],
}

/** One event for each receipt. @param events of one transaction and one plan */
export function receiptsOf(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.filter(({ eventName, subscriber }) => {
    const leading = BESIDE[eventName]
    return (
      leading !== undefined &&
      !events.some((one) => one.subscriber === subscriber && leading.includes(one.eventName))
    )
  })
}

/** Whether there is a receipt of it. */
export function hasReceipt({ eventName }: HistoryEvent): boolean {
  return eventName !== 'Created' && eventName !== 'Cancelled'
}
