import type { Address } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { sharedWithFields } from '../../../presentation/sharedWith.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity, quantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import { bothForms, definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { tokenWord } from '../answer/preconditions.ts'
import type { Findings } from '../answer/prepareAnswer.ts'
import { allowanceRemains, drawingOn, leaveIssues } from './leaveIssues.ts'

/** What the preparation found on chain. */
const UnsubscribeContext = z.object({
  subscription: Subscription,
  feeBalance: Quantity.describe('What the contract holds for this subscriber to pay remit’s callers.'),
  feeBalanceTo: AddressSchema.describe('Who gets it: the provider, on unsubscribing.'),
  allowance: Quantity.describe('What the protocol may still take of the wallet’s token.'),
  ...sharedWithFields('Other active subscriptions that are paid from that allowance.'),
})

type Context = z.output<typeof UnsubscribeContext>

/** Prepares unsubscribing. */
export const prepareUnsubscribe = bothForms(
  {
    name: 'prepare_unsubscribe',
    summary: 'Prepare unsubscribing from a subscription',
    summaryOfTerms: 'Prepare unsubscribing on stated terms, which must match the chain’s',
    description:
      'The protocol pays the fee balance to the provider. The allowance stays: prepare_revoke_allowance sets ' +
      'it to 0.',
    profiles: ['essential', 'subscriber'],
    fields: prepareOptions,
  },
  (form) =>
    definePrepare({
      ...form,
      errors: [...form.errors, ...prepareErrors],
      preflight: UnsubscribeContext,
      plan: ({ input, chain }) => planUnsubscribe(chain, form.named(input), input),
    }),
)

/** Finds what leaving needs: failing preconditions, the receiver of the fee balance, and the call. */
async function planUnsubscribe(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<Context>> {
  const state = await chain.read.membershipState(named.id, from, from)
  expectTerms(named, state)
  const { terms, token, wallet, nativeBalance } = state
  const feeBalance = protocolQuantity(state.feeBalance, token)
  // The janitor's clean-up of a cancelled subscription is the only way back.
  const otherwise =
    terms.cancelled && state.feeBalance > 0n
      ? ', as it would where the protocol’s janitor ends the cancelled subscription first'
      : ''
  const context = {
    subscription: toSubscription(state, chain.today),
    feeBalance,
    feeBalanceTo: terms.provider,
    allowance: quantity(wallet.allowance, token),
    ...drawingOn(state),
  }
  return {
    operation: 'unsubscribe',
    issues: leaveIssues(state, from),
    warnings: [...mismatchWarnings(token), ...allowanceRemains(state, from)],
    nativeBalance,
    preflight: context,
    batches: () => [
      [
        protocolCall(
          chain.contractAddress,
          'unsubscribe',
          [terms],
          `unsubscribe from ${terms.id}; the fee balance of ${feeBalance.amount} ${tokenWord(token)} goes to the ` +
            `provider ${terms.provider}, and not back to the wallet${otherwise}`,
        ),
      ],
    ],
  }
}
