import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import type { Findings } from '../answer/answerPrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { tokenWord } from '../answer/preconditions.ts'
import { leaveIssues } from '../leave/leaveIssues.ts'
import { providerIssues } from './providerIssues.ts'

/** What a provider's removing of a subscriber found. */
export const RemoveContext = z.object({
  subscription: Subscription,
  subscriber: AddressSchema,
  feeBalance: Quantity.describe('What the contract holds of this subscriber for the callers of remit.'),
  feeBalanceTo: AddressSchema.describe('Who gets it: on removal that is the subscriber.'),
})

/** What stands against a provider's removing of a subscriber, who gets the fee balance, and how it is done. */
export async function planUnsubscribeByProvider(
  chain: ChainView,
  named: NamedSubscription,
  { from, subscriber }: { readonly from: Address; readonly subscriber: Address },
): Promise<Findings<z.output<typeof RemoveContext>, z.output<typeof RemoveContext>>> {
  const standing = await chain.read.standing(named.id, subscriber, from)
  expectTerms(named, standing)
  const { terms, token, nativeBalance } = standing
  const feeBalance = protocolQuantity(standing.feeBalance, token)
  const context = {
    subscription: toSubscription(standing, chain.today),
    subscriber,
    feeBalance,
    feeBalanceTo: subscriber,
  }
  return {
    operation: 'unsubscribe_by_provider',
    issues: [...providerIssues(terms, from, 'can remove a subscriber'), ...leaveIssues(standing, subscriber)],
    warnings: mismatchWarnings(token),
    nativeBalance,
    preflight: context,
    details: context,
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
