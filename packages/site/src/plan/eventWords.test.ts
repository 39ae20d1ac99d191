import type { HistoryEvent } from '@remit/client'
import { describe, expect, it } from 'vitest'
import { eventWords, isTakenLater, receiptsOf, wholeGroups } from './eventWords.ts'

const [ada, ben] = ['0xada', '0xben']

/** The events of one transaction, as the plan's history lists them: the newest first. */
function eventsOf(...logs: readonly (readonly [subscriber: string, eventName: string])[]): HistoryEvent[] {
  const events = logs.map(([subscriber, eventName], logIndex) => ({
    id: '0xplan',
    transactionHash: '0x1',
    logIndex,
    subscriber,
    eventName,
  }))
  // Safe: the functions read nothing else of an event.
  return events.reverse() as unknown as HistoryEvent[]
}

describe('the receipts of a transaction', () => {
  it('are two where it pays twice for one member and plan', () => {
    const events = eventsOf(
      [ada, 'Subscribed'],
      [ada, 'FeeFilled'],
      [ada, 'ProviderPaid'],
      [ben, 'FeeFilled'],
      [ben, 'ProviderPaid'],
      [ada, 'SubscriberPaid'],
      [ada, 'ProviderPaid'],
    )
    expect(receiptsOf(events).map((event) => [event.logIndex, eventWords(event, events)])).toEqual([
      [6, 'Paid to the provider'],
      [3, 'Payment that fills the collecting reserve'],
      [0, 'Subscribed'],
    ])
    // The provider's part of a payment that also fills the reserve is no payment more.
    const parts = events.filter(({ eventName }) => eventName === 'ProviderPaid')
    expect(parts.map((event) => eventWords(event, events))).toEqual([
      'Paid to the provider',
      'To the provider, of the payment that fills the reserve',
      'Paid to the provider',
    ])
  })

  it('are one for each ending, whatever is logged around it', () => {
    const events = eventsOf(
      [ada, 'ProviderRefunded'],
      [ada, 'Unsubscribed'],
      [ada, 'Failed'],
      [ben, 'Unsubscribed'],
    )
    expect(receiptsOf(events).map(({ logIndex }) => logIndex)).toEqual([3, 1])
  })
})

describe('a payment that may have been due earlier', () => {
  /** Monthly on the 3rd. 20,879 is 2 March 2027. */
  const plan = { frequency: 1, dueDay: 3 } as const
  const paid = (transactionHash: string, day: number, eventName = 'ProviderPaid') =>
    // Safe: the function reads nothing else of an event.
    ({ transactionHash, subscriber: ada, eventName, timestamp: day * 86_400 }) as unknown as HistoryEvent

  it.each([
    ['on its day', [paid('0x1', 20_880)], false],
    ['on another day', [paid('0x1', 20_881)], true],
    ['with another one on its day', [paid('0x1', 20_880), paid('0x2', 20_880)], true],
    ['at subscribing', [paid('0x1', 20_881), paid('0x1', 20_881, 'Subscribed')], false],
    ['never: a plan is published', [paid('0x1', 20_881, 'Created')], false],
  ])('is one that was taken %s: %#', (_, events, isLater) => {
    expect(events.slice(0, 1).map((event) => isTakenLater(event, events, plan))).toEqual([isLater])
  })
})

it('leaves out a group of events that may go on further back, unless there is no other', () => {
  const events = eventsOf(
    [ben, 'Subscribed'],
    [ben, 'FeeFilled'],
    [ada, 'SubscriberPaid'],
    [ada, 'ProviderPaid'],
  )
  expect(wholeGroups(events.slice(0, 3)).map(({ eventName }) => eventName)).toEqual([
    'ProviderPaid',
    'SubscriberPaid',
  ])
  expect(wholeGroups(events.slice(0, 2))).toHaveLength(2)
})
