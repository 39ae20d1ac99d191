import type { SubscriptionTerms } from '@remit/protocol/subscription'
import type { Address as EvmAddress } from 'viem'
import * as z from 'zod'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { SimulationFailedError } from '../../errors/prepare.ts'
import type { ChainView } from '../../ports/chains.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity } from '../../presentation/token.ts'
import { Quantity } from '../../schema/amount.ts'
import type { Issue } from '../../schema/envelope.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { Details, providerProfile } from '../../schema/text.ts'
import {
  definePrepare,
  expectTerms,
  type NamedSubscription,
  prepareBothForms,
  prepareErrors,
} from './answer/definePrepare.ts'
import { prepareOptions } from './answer/options.ts'
import { protocolCall } from './answer/plannedCall.ts'
import { tokenWord } from './answer/preconditions.ts'
import type { Findings } from './answer/prepareAnswer.ts'
import { leaveIssues } from './prepareUnsubscribe.ts'

// What a provider can prepare: cancelling a subscription, removing a subscriber, new details of a subscription, and its own
// profile. The first two have two forms each (`prepareBothForms`): by the subscription's id, and with the terms that the caller expects.

/** What a preparation about one subscription answers as its `preflight`: the subscription, as found on chain. */
const SubscriptionContext = z.object({ subscription: Subscription })

/** Prepares the provider's cancellation of a subscription. */
export const prepareCancelSubscription = prepareBothForms(
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
  { preflight: SubscriptionContext, plan: planCancel },
)

/** Finds what cancelling needs: failing preconditions and the call. */
async function planCancel(
  chain: ChainView,
  named: NamedSubscription,
  { from }: { readonly from: EvmAddress },
): Promise<Findings<z.output<typeof SubscriptionContext>>> {
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

const RemoveContext = z.object({
  subscription: Subscription,
  subscriber: Address,
  feeBalance: Quantity.describe('What the contract holds for this subscriber to pay remit’s callers.'),
  feeBalanceTo: Address.describe('Who gets it: the subscriber, on removal.'),
})

/** Prepares a provider's removal of a subscriber. */
export const prepareUnsubscribeByProvider = prepareBothForms(
  {
    name: 'prepare_unsubscribe_by_provider',
    summary: 'Prepare the removal of a subscriber by the provider',
    summaryOfTerms:
      'Prepare the removal of a subscriber by the provider, on stated terms, which must match the chain’s',
    description: 'The fee balance goes back to the subscriber.',
    profiles: ['provider'],
    fields: { subscriber: Address.describe('Who is to be removed.'), ...prepareOptions },
  },
  { preflight: RemoveContext, plan: planRemoval },
)

/** Finds what the removal needs: failing preconditions, the receiver of the fee balance, and the call. */
async function planRemoval(
  chain: ChainView,
  named: NamedSubscription,
  { from, subscriber }: { readonly from: EvmAddress; readonly subscriber: EvmAddress },
): Promise<Findings<z.output<typeof RemoveContext>>> {
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

/** Prepares new details of a subscription. They are stored in the chain's logs; the latest ones count. */
export const prepareEditDetails = definePrepare({
  name: 'prepare_edit_details',
  summary: 'Prepare a change of a subscription’s url and description by its provider',
  description: 'Both are replaced; terms such as the amount can never be changed.',
  profiles: ['provider'],
  errors: [SubscriptionNotFoundError, ...prepareErrors],
  input: z.object({ id: SubscriptionId, details: Details, ...prepareOptions }),
  preflight: SubscriptionContext,
  async plan({ input, chain }) {
    const { id, details, from } = input
    const state = await chain.read.providerState(id, from)
    const context = { subscription: toSubscription(state, chain.today) }
    return {
      operation: 'edit_details',
      // Without this issue the call of a stranger would pass the simulation: the contract accepts it and does nothing.
      issues: providerIssues(state.terms, from, 'can change its details'),
      warnings: mismatchWarnings(state.token),
      nativeBalance: state.nativeBalance,
      preflight: context,
      batches: () => [
        [
          protocolCall(
            chain.contractAddress,
            'editDetails',
            [details, id],
            `replace url and description of ${id}`,
          ),
        ],
      ],
    }
  },
})

const ProfileContext = z.object({ provider: Address })

/** Prepares a provider's profile. It is stored in the chain's logs; the latest one counts. */
export const prepareEditProviderDetails = definePrepare({
  name: 'prepare_edit_provider_details',
  summary: 'Prepare a provider’s own profile, replacing the previous one',
  description: 'Anybody may publish anything; nothing is checked. Every field is replaced.',
  profiles: ['provider'],
  errors: [SimulationFailedError],
  input: z.object({ ...providerProfile, ...prepareOptions }),
  preflight: ProfileContext,
  async plan({ input, chain }) {
    const { from, description, company, url, domain, email, misc } = input
    const { nativeBalance } = await chain.read.signer(from)
    const profile = { description, company, url, domain, email, misc }
    return {
      operation: 'edit_provider_details',
      issues: [],
      warnings: [],
      nativeBalance,
      preflight: { provider: from },
      batches: () => [
        [
          protocolCall(
            chain.contractAddress,
            'editProvDetails',
            [profile],
            `replace the provider profile of ${from}`,
          ),
        ],
      ],
    }
  },
})

/** Every precondition of cancelling that fails. A provider can cancel even where the token is paused. */
function cancelIssues(terms: SubscriptionTerms, from: EvmAddress): Issue[] {
  const issues = providerIssues(terms, from, 'can cancel it')
  if (terms.cancelled) {
    issues.push({
      code: 'ALREADY_CANCELLED',
      message: 'This subscription is cancelled already; that cannot be done twice.',
      id: terms.id,
    })
  }
  return issues
}

/**
 * An issue for everybody but the provider; none for the provider. The simulation does not always find a stranger out: some calls of
 * the contract accept one and do nothing, such as editDetails.
 * @param what ends "Only the provider of this subscription …"
 */
function providerIssues({ id, provider }: SubscriptionTerms, from: EvmAddress, what: string): Issue[] {
  if (provider === from) return []
  const message = `Only the provider ${provider} of this subscription ${what}; \`from\` is ${from}.`
  return [{ code: 'NOT_PROVIDER', message, id, provider, from }]
}
