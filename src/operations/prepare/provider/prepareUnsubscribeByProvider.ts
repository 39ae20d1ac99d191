import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { Address } from '../../../schema/address.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planUnsubscribeByProvider, RemoveContext } from './planUnsubscribeByProvider.ts'

/** Prepares a provider's removal of a subscriber, after the terms were found to be as stated. */
export const prepareUnsubscribeByProvider = defineOperation({
  name: 'prepare_unsubscribe_by_provider',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare the removal of a subscriber by the provider, on stated terms, which must be the chain’s',
  description: 'As prepare_unsubscribe_by_provider_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_provider' },
  tool: {
    profiles: [],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({
    subscription: GivenSubscription,
    subscriber: Address.describe('Who is to be removed.'),
    ...prepareOptions,
  }),
  output: prepareAnswer(RemoveContext, RemoveContext),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribeByProvider(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
