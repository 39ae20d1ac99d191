import type { Address } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { sharedWithFields } from '../../../presentation/sharedWith.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity, quantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
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
import { tokenWord } from '../answer/preconditions.ts'
import type { Findings } from '../answer/preparation.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
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

const bothForms = {
  effect: 'prepare',
  buckets: ['write'],
  output: prepareAnswer(UnsubscribeContext, UnsubscribeContext),
} as const

/** Prepares unsubscribing. */
export const prepareUnsubscribeById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_unsubscribe_by_id',
  summary: 'Prepare unsubscribing from a subscription',
  description:
    'The protocol pays the fee balance to the provider. The allowance stays: prepare_revoke_allowance sets ' +
    'it to 0.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_id' },
  tool: { profiles: ['essential', 'subscriber'], text: prepareText },
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribe(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** The same for a caller who states the terms: they must be the chain's. */
export const prepareUnsubscribe = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_unsubscribe',
  summary: 'Prepare unsubscribing on stated terms, which must match the chain’s',
  description: 'As prepare_unsubscribe_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/unsubscribe' },
  tool: { profiles: [], text: prepareText },
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planUnsubscribe(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** Finds what leaving needs: failing preconditions, the receiver of the fee balance, and the call. */
async function planUnsubscribe(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: Address },
): Promise<Findings<Context, Context>> {
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
    details: context,
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
