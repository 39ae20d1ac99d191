import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import {
  rangeOf,
  revenueAnswer,
  revenueFields,
  revenueText,
  tokensOfRevenue,
  toRevenue,
} from '../../presentation/revenue.ts'
import { dayNumberAt } from '../../protocol/calendar.ts'
import { Address } from '../../schema/address.ts'

/** What a provider's subscriptions brought in. */
export const getProviderRevenue = defineOperation({
  name: 'get_provider_revenue',
  effect: 'read',
  scope: 'index',
  summary:
    'What a provider earned by interval and token: charges, fees, subscribers won and lost, MRR, churn',
  description:
    'Amounts are what the token’s transfers of these payments state, to the last unit, and not what the contract’s logs ' +
    'state. Provider and fee balances in the answer are of this protocol only: other transfers to the provider do not count.',
  rest: { method: 'GET', path: '/providers/:address/revenue' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ provider, ...revenue }) => revenueText(provider, revenue),
  },
  buckets: ['expensive'],
  input: z.object({ address: Address.describe('The provider.'), ...revenueFields }),
  table: { list: 'tokens', rows: 'intervals', beside: ['token', 'tokenCheck'] },
  output: z.object({ provider: Address, ...revenueAnswer }),
  query: ({ input, history }) => history.revenue({ provider: input.address }, rangeOf(input)),
  async handle({ input, chain, rows }) {
    const tokens = await chain.read.lastingTokens(tokensOfRevenue(rows))
    const today = dayNumberAt(chain.asOf.timestamp)
    return { provider: input.address, ...toRevenue(input, rows, tokens, today) }
  },
})
