import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { approvalOptions, checkApprovalWish } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planSubscribe, SubscribePreflight, SubscribeReadiness } from './planSubscribe.ts'

const bothForms = {
  effect: 'prepare',
  buckets: ['write'],
  output: prepareAnswer(SubscribePreflight, SubscribeReadiness),
} as const

/** Prepares subscribing: an approval that lasts, where one is needed, and the subscription itself. */
export const prepareSubscribeById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_subscribe_by_id',
  summary: 'Prepare subscribing to a subscription, with the ERC-20 approval where one is needed',
  description:
    'The approval covers the first charge, `approvalPeriods` charges by remit, and the wallet’s other ' +
    'subscriptions in the same token: with less, remit would drop the subscriber.',
  rest: { method: 'POST', path: '/prepare/subscribe_by_id' },
  tool: { profiles: ['essential', 'subscriber'], text: prepareText },
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...approvalOptions }).superRefine(checkApprovalWish),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** The same for a caller who states the terms: they must be the chain's. */
export const prepareSubscribe = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_subscribe',
  summary: 'Prepare subscribing on stated terms, which must match the chain’s',
  description: 'As prepare_subscribe_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/subscribe' },
  tool: { profiles: [], text: prepareText },
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...approvalOptions }).superRefine(checkApprovalWish),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
