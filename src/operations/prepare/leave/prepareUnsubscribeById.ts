import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planUnsubscribe, UnsubscribeContext } from './planUnsubscribe.ts'

/** Prepares a subscriber's leaving. */
export const prepareUnsubscribeById = defineOperation({
  name: 'prepare_unsubscribe_by_id',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare a subscriber’s leaving of a subscription',
  description:
    'The fee balance goes to the provider, as the protocol has it. What is left of the allowance stays: ' +
    'prepare_revoke_allowance ends it.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_id' },
  tool: {
    profiles: ['essential', 'subscriber'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...prepareOptions }),
  output: prepareAnswer(UnsubscribeContext, UnsubscribeContext),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribe(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
