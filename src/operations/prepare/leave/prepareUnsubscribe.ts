import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planUnsubscribe, UnsubscribeContext } from './planUnsubscribe.ts'

/** Prepares a subscriber's leaving, after the terms were found to be as stated. */
export const prepareUnsubscribe = defineOperation({
  name: 'prepare_unsubscribe',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare a subscriber’s leaving of a subscription, on stated terms, which must be the chain’s',
  description: 'As prepare_unsubscribe_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/unsubscribe' },
  tool: {
    profiles: [],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...prepareOptions }),
  output: prepareAnswer(UnsubscribeContext, UnsubscribeContext),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribe(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
