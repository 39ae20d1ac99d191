import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError } from '@remit/engine/errors/chain'
import {
  rangeOf,
  revenueAnswer,
  revenueFields,
  revenueText,
  tokensOfRevenue,
  toRevenue,
} from '@remit/engine/presentation/revenue'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { dayNumberAt } from '@remit/protocol/calendar'
import * as z from 'zod'

/** What a provider's subscriptions brought in. */
export const getProviderRevenue = defineOperation({
  name: 'get_provider_revenue',
  effect: 'read',
  kind: 'chain',
  summary:
    'What a provider earned by interval and token: charges, fees, subscribers won and lost, MRR, churn',
  description:
    'Amounts are what the token’s transfers of these payments state, to the last unit, and not what the contract’s logs ' +
    'state. Provider and fee balances in the answer are of this protocol only: other transfers to the provider do not count.',
  access: 'expensive',
  rest: { method: 'GET', path: '/providers/:address/revenue' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ provider, ...revenue }) => revenueText(provider, revenue),
  },
  input: z.object({ address: Address.describe('The provider.'), ...revenueFields }),
  table: { list: 'tokens', rows: 'intervals', outerFields: ['token', 'tokenCheck'] },
  output: z.object({ provider: Address, ...revenueAnswer }),
  query: ({ input, history }) => history.revenue({ provider: input.address }, rangeOf(input)),
  async handle({ input, chain, rows }) {
    const tokens = await chain.read.lastingTokens(tokensOfRevenue(rows))
    const today = dayNumberAt(chain.asOf.timestamp)
    return { provider: input.address, ...toRevenue(input, rows, tokens, today) }
  },
})

/** What one subscription brought in. */
export const getSubscriptionRevenue = defineOperation({
  name: 'get_subscription_revenue',
  effect: 'read',
  kind: 'chain',
  summary: 'What one subscription earned by interval: charges, fees, subscribers won and lost, MRR, churn',
  description: 'The figures are those of the provider’s revenue, of this subscription alone.',
  access: 'expensive',
  rest: { method: 'GET', path: '/subscriptions/:id/revenue' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ subscriptionId, ...revenue }) => revenueText(subscriptionId, revenue),
  },
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, ...revenueFields }),
  table: { list: 'tokens', rows: 'intervals', outerFields: ['token', 'tokenCheck'] },
  output: z.object({ subscriptionId: SubscriptionId, ...revenueAnswer }),
  query: ({ input, history }) => history.revenue({ subscriptionId: input.id }, rangeOf(input)),
  async handle({ input, chain, rows }) {
    const [, tokens] = await Promise.all([
      // The chain decides whether the subscription exists, not the index.
      chain.read.subscription(input.id),
      chain.read.lastingTokens(tokensOfRevenue(rows)),
    ])
    const today = dayNumberAt(chain.asOf.timestamp)
    return { subscriptionId: input.id, ...toRevenue(input, rows, tokens, today) }
  },
})
