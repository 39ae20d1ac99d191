import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { ForecastUnavailableError } from '../../errors/chain.ts'
import { Address } from '../../schema/address.ts'
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
  scope: 'index',
  summary: 'What a provider will earn by day, net of fees, and which subscribers will fail or wait, and why',
  description: OUTLOOK_DESCRIPTION,
  rest: { method: 'GET', path: '/providers/:address/outlook' },
  tool: { profiles: ['provider'], text: (answer) => outlookText(answer.provider, answer) },
  buckets: ['expensive'],
  errors: [ForecastUnavailableError],
  input: z.object({ address: Address.describe('The provider.'), ...outlookInput }),
  table: 'troubled',
  output: z.object({ provider: Address, ...outlookOutput }),
  query: ({ input, today, history }) => queryOutlook({ provider: input.address }, input, { today, history }),
  async handle({ input, chain, rows }) {
    return { provider: input.address, ...(await answerOutlook(chain, rows)) }
  },
})
