import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity, quantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import type { Findings } from '../answer/answerPrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { tokenWord } from '../answer/preconditions.ts'
import { allowanceRemains, drawingOn, leaveIssues } from './leaveIssues.ts'

/** What unsubscribing found. */
export const UnsubscribeContext = z.object({
  subscription: Subscription,
  feeBalance: Quantity.describe('What the contract holds of this subscriber for the callers of remit.'),
  feeBalanceTo: AddressSchema.describe('Who gets it: on unsubscribing that is the provider.'),
  allowance: Quantity.describe('What the protocol may go on taking of the wallet’s token.'),
  sharedWith: z
    .array(SubscriptionId)
    .describe('Other active subscriptions that are paid from that allowance.'),
})

/** What stands against a subscriber's leaving, where the fee balance goes, and how it is done. */
export async function planUnsubscribe(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<z.output<typeof UnsubscribeContext>, z.output<typeof UnsubscribeContext>>> {
  const standing = await chain.read.standing(named.id, from, from)
  expectTerms(named, standing)
  const { terms, token, wallet, nativeBalance } = standing
  const feeBalance = protocolQuantity(standing.feeBalance, token)
  const context = {
    subscription: toSubscription(standing, chain.today),
    feeBalance,
    feeBalanceTo: terms.provider,
    allowance: quantity(wallet.allowance, token),
    sharedWith: drawingOn(standing).map((row) => row.terms.id),
  }
  return {
    operation: 'unsubscribe',
    issues: leaveIssues(standing, from),
    warnings: [...mismatchWarnings(token), ...allowanceRemains(standing, from)],
    nativeBalance,
    preflight: context,
    details: context,
    batches: () => [
      [
        protocolCall(
          chain.contractAddress,
          'unsubscribe',
          [terms],
          `unsubscribe from ${terms.id}; the fee balance of ${feeBalance.amount} ${tokenWord(token)} goes to the ` +
            `provider ${terms.provider}, and not back to the wallet`,
        ),
      ],
    ],
  }
}
