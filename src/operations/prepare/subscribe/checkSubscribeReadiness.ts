import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { approvalCheckOptions, checkApprovalWish } from '../answer/options.ts'
import { subscribeReadinessText } from '../answer/prepareText.ts'
import { answerReadiness, readinessAnswer } from '../answer/readinessAnswer.ts'
import { planSubscribe, SubscribeReadiness, subscribeSteps } from './planSubscribe.ts'

/** Tells whether an account can subscribe on the terms that it takes the subscription to have. */
export const checkSubscribeReadiness = defineOperation({
  name: 'check_subscribe_readiness',
  effect: 'read',
  scope: 'chain',
  summary: 'Whether an account can subscribe on stated terms, which must be the chain’s',
  description: 'As check_subscribe_readiness_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/check_subscribe_readiness' },
  tool: {
    profiles: [],
    text: subscribeReadinessText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError],
  input: z
    .object({ subscription: GivenSubscription, ...approvalCheckOptions })
    .superRefine(checkApprovalWish),
  output: readinessAnswer(SubscribeReadiness),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, byTerms(input.subscription), input)
    return answerReadiness(requestId, { ...found, steps: subscribeSteps(chain, 'subscribe') })
  },
})
