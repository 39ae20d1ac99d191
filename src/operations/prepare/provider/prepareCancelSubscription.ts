import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings } from '../../../presentation/token.ts'
import { bothForms, definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import type { Findings } from '../answer/prepareAnswer.ts'
import { cancelIssues } from './providerIssues.ts'

/** What the preparation found on chain. */
const CancelContext = z.object({ subscription: Subscription })

type Context = z.output<typeof CancelContext>

/** Prepares the provider's cancellation of a subscription. */
export const prepareCancelSubscription = bothForms(
  {
    name: 'prepare_cancel_subscription',
    summary: 'Prepare the cancellation of a subscription by its provider',
    summaryOfTerms:
      'Prepare the cancellation of a subscription by its provider, on stated terms, which must match the chain’s',
    description:
      'It cannot be undone. Nobody is charged any more. The protocol’s cleanup pays fee balances back to the ' +
      'subscribers, less the system fee where that is on.',
    profiles: ['provider'],
    fields: prepareOptions,
  },
  (form) =>
    definePrepare({
      ...form,
      errors: [...form.errors, ...prepareErrors],
      preflight: CancelContext,
      plan: ({ input, chain }) => planCancel(chain, form.named(input), input),
    }),
)

/** Finds what cancelling needs: failing preconditions and the call. */
async function planCancel(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<Context>> {
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
