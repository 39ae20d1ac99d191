import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { approvalOptions, checkApprovalWish } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planSubscribe, SubscribePreflight, SubscribeReadiness } from './planSubscribe.ts'

/** Prepares subscribing, after the terms were found to be as stated. */
export const prepareSubscribe = defineOperation({
  name: 'prepare_subscribe',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare subscribing on stated terms, which must be the chain’s',
  description: 'As prepare_subscribe_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/subscribe' },
  tool: {
    profiles: [],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...approvalOptions }).superRefine(checkApprovalWish),
  output: prepareAnswer(SubscribePreflight, SubscribeReadiness),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
