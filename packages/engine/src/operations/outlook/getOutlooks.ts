import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { ForecastUnavailableError, SubscriptionNotFoundError } from '../../errors/chain.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import {
  answerOutlook,
  OUTLOOK_DESCRIPTION,
  outlookInput,
  outlookOutput,
  outlookText,
  queryOutlook,
} from './providerOutlook.ts'

/** What a provider can expect of all its subscriptions. */
export const getProviderOutlook = defineOperation({
  name: 'get_provider_outlook',
  effect: 'read',
  kind: 'chain',
  summary: 'What a provider will earn by day, net of fees, and which subscribers will fail or wait, and why',
  description: OUTLOOK_DESCRIPTION,
  access: 'expensive',
  rest: { method: 'GET', path: '/providers/:address/outlook' },
  tool: { profiles: ['provider'], text: (answer) => outlookText(answer.provider, answer) },
  errors: [ForecastUnavailableError],
  input: z.object({ address: Address.describe('The provider.'), ...outlookInput }),
  table: 'troubled',
  output: z.object({ provider: Address, ...outlookOutput }),
  query: ({ input, today, history }) => queryOutlook({ provider: input.address }, input, { today, history }),
  async handle({ input, chain, rows }) {
    return { provider: input.address, ...(await answerOutlook(chain, rows)) }
  },
})

/** What a provider can expect of one subscription. */
export const getSubscriptionOutlook = defineOperation({
  name: 'get_subscription_outlook',
  effect: 'read',
  kind: 'chain',
  summary:
    'What one subscription will earn by day, net of fees, and which subscribers will fail or wait, and why',
  description: OUTLOOK_DESCRIPTION,
  access: 'expensive',
  rest: { method: 'GET', path: '/subscriptions/:id/outlook' },
  tool: { profiles: ['provider'], text: (answer) => outlookText(answer.subscriptionId, answer) },
  errors: [SubscriptionNotFoundError, ForecastUnavailableError],
  input: z.object({ id: SubscriptionId, ...outlookInput }),
  table: 'troubled',
  output: z.object({ subscriptionId: SubscriptionId, ...outlookOutput }),
  query: ({ input, today, history }) => queryOutlook({ subscriptionId: input.id }, input, { today, history }),
  async handle({ input, chain, rows }) {
    // Existence is decided on chain.
    const [, outlook] = await Promise.all([chain.read.subscription(input.id), answerOutlook(chain, rows)])
    return { subscriptionId: input.id, ...outlook }
  },
})
