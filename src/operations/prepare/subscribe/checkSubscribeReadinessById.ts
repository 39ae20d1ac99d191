import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { approvalCheckOptions, checkApprovalWish } from '../answer/options.ts'
import { subscribeReadinessText } from '../answer/prepareText.ts'
import { answerReadiness, readinessAnswer } from '../answer/readinessAnswer.ts'
import { planSubscribe, SubscribeReadiness, subscribeSteps } from './planSubscribe.ts'

/** Tells whether an account can subscribe, what it would take, and what stands against it. */
export const checkSubscribeReadinessById = defineOperation({
  name: 'check_subscribe_readiness_by_id',
  effect: 'read',
  scope: 'chain',
  summary: 'Whether an account can subscribe: balance, allowance, first charge, and every reason against it',
  description: 'A missing allowance is no reason against it: the prepare brings the approval along.',
  rest: { method: 'POST', path: '/check_subscribe_readiness_by_id' },
  tool: {
    profiles: ['subscriber'],
    text: subscribeReadinessText,
  },
  // Cheap over REST, and charged like a prepare to agents, who ask without end.
  buckets: [],
  toolBuckets: ['write'],
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, ...approvalCheckOptions }).superRefine(checkApprovalWish),
  output: readinessAnswer(SubscribeReadiness),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, { id: input.id }, input)
    return answerReadiness(requestId, { ...found, steps: subscribeSteps(chain, 'subscribe_by_id') })
  },
})
