import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { CancelContext, planCancel } from './planCancel.ts'

/** Prepares the provider's cancellation of a subscription. */
export const prepareCancelSubscriptionById = defineOperation({
  name: 'prepare_cancel_subscription_by_id',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare the cancellation of a subscription by its provider',
  description:
    'It cannot be undone. Nobody is charged any more; fee balances go back to the subscribers, less the ' +
    'system fee where that is on, when the protocol cleans up.',
  rest: { method: 'POST', path: '/prepare/cancel_subscription_by_id' },
  tool: {
    profiles: ['provider'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...prepareOptions }),
  output: prepareAnswer(CancelContext, CancelContext),
  async handle({ input, chain, requestId }) {
    const found = await planCancel(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})
