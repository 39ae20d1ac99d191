import type { Address } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity, quantity } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { answerPrepare, type Findings } from '../answer/answerPrepare.ts'
import {
  byTerms,
  expectTerms,
  GivenSubscription,
  type NamedSubscription,
} from '../answer/givenSubscription.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { tokenWord } from '../answer/preconditions.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { allowanceRemains, drawingOn, leaveIssues } from './leaveIssues.ts'

/** What the preparation found on chain. */
const UnsubscribeContext = z.object({
  subscription: Subscription,
  feeBalance: Quantity.describe('What the contract holds of this subscriber for the callers of remit.'),
  feeBalanceTo: AddressSchema.describe('Who gets it: on unsubscribing that is the provider.'),
  allowance: Quantity.describe('What the protocol may go on taking of the wallet’s token.'),
  sharedWith: z
    .array(SubscriptionId)
    .describe('Other active subscriptions that are paid from that allowance.'),
})

type Context = z.output<typeof UnsubscribeContext>

const bothForms = {
  effect: 'prepare',
  buckets: ['write'],
  output: prepareAnswer(UnsubscribeContext, UnsubscribeContext),
} as const

/** Prepares a subscriber's leaving. */
export const prepareUnsubscribeById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'prepare_unsubscribe_by_id',
  summary: 'Prepare a subscriber’s leaving of a subscription',
  description:
    'The fee balance goes to the provider, as the protocol has it. What is left of the allowance stays: ' +
    'prepare_revoke_allowance ends it.',
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
  summary: 'Prepare a subscriber’s leaving of a subscription, on stated terms, which must be the chain’s',
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
