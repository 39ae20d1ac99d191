import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { CancelContext, planCancel } from './planCancel.ts'

/** Prepares the provider's cancellation of a subscription, after the terms were found to be as stated. */
export const prepareCancelSubscription = defineOperation({
  name: 'prepare_cancel_subscription',
  effect: 'prepare',
  scope: 'chain',
  summary:
    'Prepare the cancellation of a subscription by its provider, on stated terms, which must be the chain’s',
  description: 'As prepare_cancel_subscription_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/cancel_subscription' },
  tool: {
    profiles: [],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...prepareOptions }),
  output: prepareAnswer(CancelContext, CancelContext),
  async handle({ input, chain, requestId }) {
    const found = await planCancel(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
