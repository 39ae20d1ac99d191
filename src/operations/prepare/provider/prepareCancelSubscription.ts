import type { Address } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings } from '../../../presentation/token.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import {
  byTerms,
  expectTerms,
  GivenSubscription,
  type NamedSubscription,
} from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import type { Findings } from '../answer/preparation.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { cancelIssues } from './providerIssues.ts'

/** What the preparation found on chain. */
const CancelContext = z.object({ subscription: Subscription })

type Context = z.output<typeof CancelContext>

const bothForms = {
  effect: 'prepare',
  buckets: ['write'],
  output: prepareAnswer(CancelContext, CancelContext),
} as const

/** Prepares the provider's cancellation of a subscription. */
export const prepareCancelSubscriptionById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_cancel_subscription_by_id',
  summary: 'Prepare the cancellation of a subscription by its provider',
  description:
    'It cannot be undone. Nobody is charged any more. The protocol’s cleanup pays fee balances back to the ' +
    'subscribers, less the system fee where that is on.',
  rest: { method: 'POST', path: '/prepare/cancel_subscription_by_id' },
  tool: { profiles: ['provider'], text: prepareText },
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planCancel(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** The same for a caller who states the terms: they must be the chain's. */
export const prepareCancelSubscription = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_cancel_subscription',
  summary:
    'Prepare the cancellation of a subscription by its provider, on stated terms, which must match the chain’s',
  description: 'As prepare_cancel_subscription_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/cancel_subscription' },
  tool: { profiles: [], text: prepareText },
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planCancel(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** Finds what cancelling needs: failing preconditions and the call. */
async function planCancel(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<Context, Context>> {
  const state = await chain.read.providerState(named.id, from)
  expectTerms(named, state)
  const { terms, token, nativeBalance } = state
  const context = { subscription: toSubscription(state, chain.today) }
  return {
    operation: 'cancel_subscription',
    issues: cancelIssues(terms, from),
    warnings: mismatchWarnings(token),
    nativeBalance,
    preflight: context,
    details: context,
    batches: () => [
      [
        protocolCall(
          chain.contractAddress,
          'cancelSubscription',
          [terms],
          `cancel ${terms.id} for good; its subscribers are charged no more, and get their fee balances back, less ` +
            'the system fee where that is on, when the protocol cleans up',
        ),
      ],
    ],
  }
}
