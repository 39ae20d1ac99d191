import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import type { Address } from 'viem'
import * as z from 'zod'
import type { MembershipState } from '../../ports/chainReads.ts'
import type { ChainView } from '../../ports/chains.ts'
import { isCharged } from '../../presentation/accountRow.ts'
import { byRoute } from '../../presentation/byRoute.ts'
import { sharedWithFields, toSharedWith } from '../../presentation/sharedWith.ts'
import { Subscription, toSubscription } from '../../presentation/subscription.ts'
import { mismatchWarnings, protocolQuantity, quantity } from '../../presentation/token.ts'
import { Quantity } from '../../schema/amount.ts'
import type { Issue, Warning } from '../../schema/envelope.ts'
import { Address as AddressSchema } from '../../schema/hex.ts'
import { expectTerms, type NamedSubscription, prepareBothForms } from './answer/definePrepare.ts'
import { prepareOptions } from './answer/options.ts'
import { protocolCall } from './answer/plannedCall.ts'
import { counted, inWords, quantityFact, tokenWord } from './answer/preconditions.ts'
import type { Findings } from './answer/prepareAnswer.ts'

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
export const prepareUnsubscribe = prepareBothForms(
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
  { preflight: UnsubscribeContext, plan: planUnsubscribe },
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
  // Only a clean-up by the janitor pays the fee balance back to the wallet.
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

/**
 * Every precondition of leaving that fails. A subscriber can always leave, even where the subscription is cancelled or
 * the token is paused.
 */
export function leaveIssues({ terms, status, isSubscribed }: MembershipState, account: Address): Issue[] {
  if (isSubscribed) return []
  const why = {
    ACTIVE: 'It never subscribed to this.',
    CANCELLED: 'The subscription was cancelled, and its subscribers were paid out and taken off.',
    UNSUBSCRIBED: 'It has unsubscribed, or was taken off when a payment failed.',
  }
  const message = `${account} is not an active subscriber. ${why[status]}`
  return [{ code: 'NOT_SUBSCRIBED', message, id: terms.id, subscriber: account }]
}

/** Warns where an allowance remains after the account has left. */
export function allowanceRemains(state: MembershipState, account: Address): Warning[] {
  const { terms, token, wallet } = state
  if (wallet.allowance === 0n) return []
  const { sharedWith, sharedWithCount } = drawingOn(state)
  const much =
    wallet.allowance < INFINITE_ALLOWANCE ? inWords(wallet.allowance, token) : `any ${tokenWord(token)}`
  const shared =
    sharedWithCount === 0
      ? ''
      : `, which also pays for ${counted(sharedWithCount, 'other active subscription')}`
  const ends = sharedWithCount === 0 ? '' : ' and ends what it pays for'
  return [
    {
      code: 'ALLOWANCE_REMAINS',
      message:
        `The protocol may still take ${much} of ${account}${shared}: prepare_revoke_allowance` +
        `${byRoute('POST /prepare/revoke_allowance')} sets that to 0${ends}.`,
      token: terms.token,
      allowance: quantityFact(wallet.allowance, token),
      sharedWith,
      sharedWithCount,
    },
  ]
}

/** The account's other subscriptions that are paid from the same allowance. */
function drawingOn({ terms, memberships, dueOrder }: MembershipState) {
  const others = memberships.filter(
    (row) => isCharged(row) && row.terms.token === terms.token && row.terms.id !== terms.id,
  )
  return toSharedWith(others, dueOrder)
}
