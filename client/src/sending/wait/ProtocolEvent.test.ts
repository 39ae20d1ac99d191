import { expect, it } from 'vitest'
import { SUBSCRIPT_EVENTS } from '../../../../src/protocol/logs/subscriptEvent.ts'
import { SUBSCRIPTION_EVENTS } from './ProtocolEvent.ts'

it('the names of events are the service’s', () => {
  expect(SUBSCRIPTION_EVENTS).toEqual(SUBSCRIPT_EVENTS.map(({ name }) => name))
})
