import type { Address } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity } from '../../../presentation/token.ts'
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

const bothForms = {
  effect: 'prepare',
  buckets: ['write'],
  output: prepareAnswer(RemoveContext, RemoveContext),
} as const

const subscriber = AddressSchema.describe('Who is to be removed.')

/** Prepares a provider's removal of a subscriber. */
export const prepareUnsubscribeByProviderById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_unsubscribe_by_provider_by_id',
  summary: 'Prepare the removal of a subscriber by the provider',
  description: 'The fee balance goes back to the subscriber.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_provider_by_id' },
  tool: { profiles: ['provider'], text: prepareText },
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, subscriber, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planRemoval(chain, { id: input.id }, input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** The same for a caller who states the terms: they must be the chain's. */
export const prepareUnsubscribeByProvider = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_unsubscribe_by_provider',
  summary:
    'Prepare the removal of a subscriber by the provider, on stated terms, which must match the chain’s',
  description: 'As prepare_unsubscribe_by_provider_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/prepare/unsubscribe_by_provider' },
  tool: { profiles: [], text: prepareText },
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError, NotReadyError, SimulationFailedError],
  input: z.object({ subscription: GivenSubscription, subscriber, ...prepareOptions }),
  async handle({ input, chain, requestId }) {
    const found = await planRemoval(chain, byTerms(input.subscription), input)
    return answerPrepare({ chain, requestId }, { ...found, input })
  },
})

/** Finds what the removal needs: failing preconditions, the receiver of the fee balance, and the call. */
async function planRemoval(
  chain: ChainView,
  named: NamedSubscription,
  { from, subscriber }: { readonly from: Address; readonly subscriber: Address },
): Promise<Findings<Context, Context>> {
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
