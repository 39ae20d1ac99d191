import type { EventType } from '@remit/engine/ports/events'
import type { SyntheticChain } from './SyntheticChain.ts'

/** What a log of this chain must say in the end, told by a plain walk over its blocks. */
export function modelEvents(chain: SyntheticChain): readonly string[] {
  const active = new Set<string>()
  const known = new Set<string>()
  return chain.blocks.flatMap(({ ref, events }) =>
    events.flatMap(({ event, logIndex }) => {
      const say = (...types: EventType[]) => types.map((type) => `${ref.hash} ${logIndex} ${type}`)
      if (event.type === 'DetailsLog') return say('subscription.edited')
      if (event.type === 'ProvDetailsLog') return say('provider.edited')
      if (event.type === 'CallerLog') return []
      const member = `${event.id} ${event.subscriber}`
      const ends = active.has(member)
      switch (event.eventName) {
        case 'Created':
          return say('subscription.created')
        case 'Cancelled':
          return say('subscription.cancelled')
        case 'Subscribed':
          if (event.subscriber === undefined) return []
          active.add(member)
          known.add(member)
          return ends ? say('payment.succeeded') : say('payment.succeeded', 'subscriber.joined')
        case 'ProviderPaid':
        case 'FeeFilled':
          return event.subscriber === undefined ? [] : say('payment.succeeded')
        case 'Failed':
          return event.subscriber === undefined ? [] : say('payment.failed')
        case 'Unsubscribed':
          active.delete(member)
          return ends ? say('subscriber.left') : []
        case 'SubscriberRefunded':
          active.delete(member)
          return ends ? say('subscriber.removed') : []
        default:
          return []
      }
    }),
  )
}
