import { definePage } from '../definePage.ts'

export const subscribe = definePage({
  name: 'subscribe',
  path: '/subscribe/:id',
  title: 'Subscribe',
  description: 'What is taken when, what you allow, and how you leave. Then you sign, in your own wallet.',
  query: ['return'],
  reads: ({ path: { id } }) => ({
    plan: { operation: 'get_subscription', input: { id } },
    said: { operation: 'get_subscription_details', input: { id } },
    state: { operation: 'get_protocol_state' },
  }),
  readsNext({ plan }) {
    const { subscription } = plan?.body ?? {}
    const { provider } = Object(subscription)
    if (typeof provider !== 'string') return {}
    return { profile: { operation: 'get_provider_profile', input: { address: provider } } }
  },
  subject: 'plan',
  keepsOpener: true,
})
