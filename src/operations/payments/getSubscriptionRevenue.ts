import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import {
  rangeOf,
  revenueAnswer,
  revenueFields,
  revenueText,
  tokensOfRevenue,
  toRevenue,
} from '../../presentation/revenue.ts'
import { dayNumberAt } from '../../protocol/calendar.ts'
import { SubscriptionId } from '../../schema/hash.ts'

/** What one subscription brought in. */
export const getSubscriptionRevenue = defineOperation({
  name: 'get_subscription_revenue',
  effect: 'read',
  scope: 'index',
  summary: 'What one subscription earned by interval: charges, fees, subscribers won and lost, MRR, churn',
  description: 'The figures are those of the provider’s revenue, of this subscription alone.',
  rest: { method: 'GET', path: '/subscriptions/:id/revenue' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ subscriptionId, ...revenue }) => revenueText(subscriptionId, revenue),
  },
  buckets: ['expensive'],
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, ...revenueFields }),
  table: { list: 'tokens', rows: 'intervals', beside: ['token', 'tokenCheck'] },
  output: z.object({ subscriptionId: SubscriptionId, ...revenueAnswer }),
  query: ({ input, history }) => history.revenue({ subscriptionId: input.id }, rangeOf(input)),
  async handle({ input, chain, rows }) {
    const [, tokens] = await Promise.all([
      // What exists is decided on chain.
      chain.read.subscription(input.id),
      chain.read.lastingTokens(tokensOfRevenue(rows)),
    ])
    const today = dayNumberAt(chain.asOf.timestamp)
    return { subscriptionId: input.id, ...toRevenue(input, rows, tokens, today) }
  },
})
