import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings } from '../../../presentation/token.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { Details } from '../../../schema/text.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { providerIssues } from './providerIssues.ts'

const EditContext = z.object({ subscription: Subscription })

/** Prepares new details of a subscription. They are stored in the chain's logs; the latest ones count. */
export const prepareEditDetails = defineOperation({
  name: 'prepare_edit_details',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare a change of a subscription’s url and description by its provider',
  description: 'Both are replaced; terms such as the amount can never be changed.',
  rest: { method: 'POST', path: '/prepare/edit_details' },
  tool: {
    profiles: ['provider'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, details: Details, ...prepareOptions }),
  output: prepareAnswer(EditContext, EditContext),
  async handle({ input, chain, requestId }) {
    const { id, details, from } = input
    const state = await chain.read.providerState(id, from)
    const context = { subscription: toSubscription(state, chain.today) }
    return answerPrepare(
      { chain, requestId },
      {
        operation: 'edit_details',
        input,
        // The contract would accept the call of a stranger and do nothing.
        issues: providerIssues(state.terms, from, 'can change its details'),
        warnings: mismatchWarnings(state.token),
        nativeBalance: state.nativeBalance,
        preflight: context,
        details: context,
        batches: () => [
          [
            protocolCall(
              chain.contractAddress,
              'editDetails',
              [details, id],
              `replace url and description of ${id}`,
            ),
          ],
        ],
      },
    )
  },
})
