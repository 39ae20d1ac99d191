import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { approvalOptions, checkApprovalWish } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planSubscribe, SubscribePreflight, SubscribeReadiness } from './planSubscribe.ts'

/** Prepares subscribing: the approval that lasts, where one is needed, and the subscription itself. */
export const prepareSubscribeById = defineOperation({
  name: 'prepare_subscribe_by_id',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare subscribing to a subscription, with the ERC-20 approval where one is needed',
  description:
    'The approval covers the first charge and `approvalPeriods` charges by remit, beside every other ' +
    'subscription of the wallet in the same token: with less, remit would drop the subscriber.',
  rest: { method: 'POST', path: '/prepare/subscribe_by_id' },
  tool: {
    profiles: ['essential', 'subscriber'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...approvalOptions }).superRefine(checkApprovalWish),
  output: prepareAnswer(SubscribePreflight, SubscribeReadiness),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
