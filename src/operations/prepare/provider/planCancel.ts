import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings } from '../../../presentation/token.ts'
import type { Findings } from '../answer/answerPrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { cancelIssues } from './providerIssues.ts'

/** What cancelling a subscription found. */
export const CancelContext = z.object({ subscription: Subscription })

/** What stands against a provider's cancelling, and how it is done. */
export async function planCancel(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<z.output<typeof CancelContext>, z.output<typeof CancelContext>>> {
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
