import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { subscriptionText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { SubscriptionId } from '../../schema/hash.ts'

/** One subscription's terms, and when it is next due. */
export const getSubscription = defineOperation({
  name: 'get_subscription',
  effect: 'read',
  scope: 'chain',
  summary: 'One subscription: terms, amount, token, whether it is cancelled, when it is next due',
  rest: { method: 'GET', path: '/subscriptions/:id' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ subscription }) => subscriptionText(subscription),
  },
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId }),
  output: z.object({ subscription: Subscription }),
  async handle({ input, chain }) {
    const state = await chain.read.subscription(input.id)
    return { subscription: toSubscription(state, chain.today), ...tokenWarnings([state.token]) }
  },
})
