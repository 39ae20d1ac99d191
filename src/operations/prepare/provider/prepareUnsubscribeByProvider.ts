import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import { bothForms, definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { tokenWord } from '../answer/preconditions.ts'
import type { Findings } from '../answer/prepareAnswer.ts'
import { leaveIssues } from '../leave/leaveIssues.ts'
import { providerIssues } from './providerIssues.ts'

/** What the preparation found on chain. */
const RemoveContext = z.object({
  subscription: Subscription,
  subscriber: AddressSchema,
  feeBalance: Quantity.describe('What the contract holds for this subscriber to pay remit’s callers.'),
  feeBalanceTo: AddressSchema.describe('Who gets it: the subscriber, on removal.'),
})

type Context = z.output<typeof RemoveContext>

/** Prepares a provider's removal of a subscriber. */
export const prepareUnsubscribeByProvider = bothForms(
  {
    name: 'prepare_unsubscribe_by_provider',
    summary: 'Prepare the removal of a subscriber by the provider',
    summaryOfTerms:
      'Prepare the removal of a subscriber by the provider, on stated terms, which must match the chain’s',
    description: 'The fee balance goes back to the subscriber.',
    profiles: ['provider'],
    fields: { subscriber: AddressSchema.describe('Who is to be removed.'), ...prepareOptions },
  },
  (form) =>
    definePrepare({
      ...form,
      errors: [...form.errors, ...prepareErrors],
      preflight: RemoveContext,
      plan: ({ input, chain }) => planRemoval(chain, form.named(input), input),
    }),
)

/** Finds what the removal needs: failing preconditions, the receiver of the fee balance, and the call. */
async function planRemoval(
  chain: ChainView,
  named: NamedSubscription,
  { from, subscriber }: { readonly from: Address; readonly subscriber: Address },
): Promise<Findings<Context>> {
  const state = await chain.read.membershipState(named.id, subscriber, from)
  expectTerms(named, state)
  const { terms, token, nativeBalance } = state
  const feeBalance = protocolQuantity(state.feeBalance, token)
  const context = {
    subscription: toSubscription(state, chain.today),
    subscriber,
    feeBalance,
    feeBalanceTo: subscriber,
  }
  return {
    operation: 'unsubscribe_by_provider',
    issues: [...providerIssues(terms, from, 'can remove a subscriber'), ...leaveIssues(state, subscriber)],
    warnings: mismatchWarnings(token),
    nativeBalance,
    preflight: context,
    batches: () => [
      [
        protocolCall(
          chain.contractAddress,
          'unsubscribeByProvider',
          [terms, subscriber],
          `remove ${subscriber} from ${terms.id}; the fee balance of ${feeBalance.amount} ${tokenWord(token)} goes ` +
            'back to the subscriber',
        ),
      ],
    ],
  }
}
