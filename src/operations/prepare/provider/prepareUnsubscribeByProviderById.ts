import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { Address } from '../../../schema/address.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planUnsubscribeByProvider, RemoveContext } from './planUnsubscribeByProvider.ts'

/** Prepares a provider's removal of a subscriber. */
export const prepareUnsubscribeByProviderById = defineOperation({
  name: 'prepare_unsubscribe_by_provider_by_id',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare the removal of a subscriber by the provider',
  description: 'The fee balance goes back to the subscriber.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_provider_by_id' },
  tool: {
    profiles: ['provider'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({
    id: SubscriptionId,
    subscriber: Address.describe('Who is to be removed.'),
    ...prepareOptions,
  }),
  output: prepareAnswer(RemoveContext, RemoveContext),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribeByProvider(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
