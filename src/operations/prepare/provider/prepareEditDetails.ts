import * as z from 'zod'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings } from '../../../presentation/token.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { Details } from '../../../schema/text.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { providerIssues } from './providerIssues.ts'

const EditContext = z.object({ subscription: Subscription })

/** Prepares new details of a subscription. They are stored in the chain's logs; the latest ones count. */
export const prepareEditDetails = definePrepare({
  name: 'prepare_edit_details',
  summary: 'Prepare a change of a subscription’s url and description by its provider',
  description: 'Both are replaced; terms such as the amount can never be changed.',
  profiles: ['provider'],
  errors: [SubscriptionNotFoundError, ...prepareErrors],
  input: z.object({ id: SubscriptionId, details: Details, ...prepareOptions }),
  preflight: EditContext,
  async plan({ input, chain }) {
    const { id, details, from } = input
    const state = await chain.read.providerState(id, from)
    const context = { subscription: toSubscription(state, chain.today) }
    return {
      operation: 'edit_details',
      // The contract would accept the call of a stranger and do nothing.
      issues: providerIssues(state.terms, from, 'can change its details'),
      warnings: mismatchWarnings(state.token),
      nativeBalance: state.nativeBalance,
      preflight: context,
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
    }
  },
})
