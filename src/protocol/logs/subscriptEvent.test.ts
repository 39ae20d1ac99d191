import { describe, expect, it } from 'vitest'
import { SUBSCRIPT_EVENT_NUMBERS, SUBSCRIPT_EVENTS, subscriptEventName } from './subscriptEvent.ts'

describe('subscriptEventName', () => {
  it('names the ten events in the contract’s order', () => {
    expect(
      SUBSCRIPT_EVENTS.map(({ contractName }, number) => [contractName, subscriptEventName(number)]),
    ).toEqual([
      ['CREATE', 'Created'],
      ['CANCEL', 'Cancelled'],
      ['PROVPAID', 'ProviderPaid'],
      ['FAILED', 'Failed'],
      ['PROVREFUND', 'ProviderRefunded'],
      ['SUBPAID', 'SubscriberPaid'],
      ['SUBSCRIBED', 'Subscribed'],
      ['UNSUBSCRIBED', 'Unsubscribed'],
      ['FEEFILL', 'FeeFilled'],
      ['SUBREFUND', 'SubscriberRefunded'],
    ])
  })

  it('has the same numbers in both tables', () => {
    expect(Object.entries(SUBSCRIPT_EVENT_NUMBERS)).toEqual(
      SUBSCRIPT_EVENTS.map(({ name }, number) => [name, number]),
    )
  })

  it('refuses other numbers', () => {
    expect(() => subscriptEventName(10)).toThrow(RangeError)
    expect(() => subscriptEventName(-1)).toThrow(RangeError)
  })
})
