import type { HistoryEvent, Subscription } from '@remit/client'
import { dayNumberAt, nextDueDay } from '@remit/protocol/calendar'
import { ENDINGS, type Ending } from '../words/endings.ts'
import { FILLS_RESERVE } from '../words/money.ts'

// How the events of a plan's history are told. Some mean different things by what the contract logs beside them in the same
// transaction, so most functions take the list of known events too.

/** The events that always mean the same, by the contract's name. */
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

/**
 * What an event means, in some words.
 * @param events those that are known, with all that come after it. A `FeeFilled` without the one before it is told as a refill
 */
export function eventWords(event: HistoryEvent, events: readonly HistoryEvent[]): string {
  const ending = endingOf(event, events)
  if (ending !== undefined) return ENDINGS[ending]
  if (isRefill(event, events)) return FILLS_RESERVE
  return isRestOfRefill(event, events) ? REST_OF_REFILL : (WORDS[event.eventName] ?? event.eventName)
}

const REST_OF_REFILL = 'To the provider, of the payment that fills the reserve'

/** Whether an event is part of subscribing: its transaction logs that of the same plan and member. */
function isOfJoining(
  { transactionHash, id, subscriber }: HistoryEvent,
  events: readonly HistoryEvent[],
): boolean {
  return events.some(
    (one) =>
      one.eventName === 'Subscribed' &&
      one.transactionHash === transactionHash &&
      one.id === id &&
      one.subscriber === subscriber,
  )
}

/** Whether it is the provider's part of a payment that another event tells as a whole: one that also fills the reserve. */
export function isRestOfRefill(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  if (event.eventName !== 'ProviderPaid' || loggedBeside(event, events, -1) !== 'FeeFilled') return false
  return !isOfJoining(event, events)
}

/** Whether a later payment filled the reserve: then `FeeFilled` states all of it. At subscribing it states the reserve's part. */
function isRefill(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  return event.eventName === 'FeeFilled' && loggedBeside(event, events, -1) !== 'Subscribed'
}

type Logged = Pick<HistoryEvent, 'transactionHash' | 'logIndex'> & {
  readonly id: string | null
  readonly subscriber: string | null
  readonly eventName: string
}

/** The name of the event logged right before (-1) or behind (1) this one, of its transaction, plan and member. */
function loggedBeside(event: Logged, events: readonly Logged[], step: -1 | 1): string | undefined {
  const { transactionHash, id, subscriber, logIndex } = event
  const [next] = events
    .filter(
      (one) =>
        one.transactionHash === transactionHash &&
        one.id === id &&
        one.subscriber === subscriber &&
        (one.logIndex - logIndex) * step > 0,
    )
    .sort((one, other) => (one.logIndex - other.logIndex) * step)
  return next?.eventName
}

/** How it ended, by what the contract logs right behind `Unsubscribed`. Where a provider removes somebody, nothing follows. */
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
  return LOGGED_BEHIND[loggedBeside(event, events, 1) ?? ''] ?? 'removed'
}

/**
 * The events without the last ones, where older ones are not known yet: what one means depends on those of its transaction and member that
 * were logged before it, and of the last such group some may be missing.
 */
export function wholeGroups(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const last = events.at(-1)
  const isOther = (one: HistoryEvent) =>
    one.transactionHash !== last?.transactionHash || one.subscriber !== last.subscriber
  const whole = events.slice(0, events.findLastIndex(isOther) + 1)
  return whole.length === 0 ? events : whole
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

/** The amount that an event moved, as a decimal; `undefined` for none or unknown. */
export function movedIn(event: HistoryEvent): string | undefined {
  return MOVED.has(event.eventName) ? (event.amount ?? undefined) : undefined
}

/** Whether an event gave a reserve back to its subscriber. The contract does not log how much: the page reads its receipt. */
export function hasGivenBack(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  return event.eventName === 'SubscriberRefunded' || endingOf(event, events) === 'removed'
}

/**
 * Whether an event is of a payment, a failed one too, that was taken after its due day, or may have been: on a day that is no due day of the
 * plan, or one of several of a member on one day. What is taken at subscribing is due at once.
 */
export function isTakenLater(
  event: HistoryEvent,
  events: readonly HistoryEvent[],
  { frequency, dueDay }: Pick<Subscription, 'frequency' | 'dueDay'>,
): boolean {
  const { eventName, transactionHash, subscriber } = event
  if (isOfJoining(event, events)) return false
  const isFailure = endingOf(event, events) === 'dropped'
  if (!isFailure && eventName !== 'ProviderPaid' && eventName !== 'FeeFilled') return false
  const day = dayNumberAt(event.timestamp)
  const own = events.filter((one) => one.subscriber === subscriber && dayNumberAt(one.timestamp) === day)
  const isOneOfSeveral = own.some((one) =>
    isFailure
      ? one.eventName === 'ProviderPaid'
      : one.eventName === 'Failed' ||
        (one.eventName === eventName && one.transactionHash !== transactionHash),
  )
  return isOneOfSeveral || nextDueDay(frequency, dueDay, day) !== day
}

/**
 * The event that stands for each receipt. For one member the contract logs, in this order: `Subscribed`, `FeeFilled`, `ProviderPaid` at
 * subscribing; `FeeFilled`, `ProviderPaid` for a payment that fills the reserve; `SubscriberPaid`, `ProviderPaid` for any other.
 * @param events of one transaction and one plan
 */
export function receiptsOf(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.filter((event) => {
    const before = loggedBeside(event, events, -1)
    switch (event.eventName) {
      case 'Subscribed':
      case 'Unsubscribed':
        return true
      case 'FeeFilled':
        return before !== 'Subscribed'
      case 'ProviderPaid':
        return before === 'SubscriberPaid'
      default:
        return false
    }
  })
}

/** Whether an event has a receipt: those of the plan itself have none. */
export function hasReceipt({ eventName }: HistoryEvent): boolean {
  return eventName !== 'Created' && eventName !== 'Cancelled'
}
