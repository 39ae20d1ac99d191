import type { HistoryEvent } from '@remit/client'
import { describe, expect, it } from 'vitest'
import { eventWords, receiptsOf } from './eventWords.ts'

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
