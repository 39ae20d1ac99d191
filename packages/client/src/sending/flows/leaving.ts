/**
 * Three flows that end something: a subscriber leaves, a provider removes a subscriber, a provider cancels a subscription. Each is a
 * definition: how readiness and transactions are asked for (`readiness`, `prepare`), and how its result is read from the mined logs
 * (`conclusion`). `send/` does all the rest.
 */

import { toRaw } from '@remit/protocol/amounts'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type {
  Api,
  PrepareCancelSubscriptionByIdAnswer,
  PrepareUnsubscribeByIdAnswer,
  PrepareUnsubscribeByProviderByIdAnswer,
  Quantity,
} from '../../generated/api.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import { type AgreedTerms, type KnownSubscription, readSubscription, toQuantity } from '../ChainReads.ts'
import { MissingEventError } from '../errors.ts'
import {
  type Conclusion,
  type FlowDefinition,
  type FlowRequest,
  findEvent,
  type SentContext,
} from '../send/FlowDefinition.ts'
import {
  decodeLog,
  logsBehind,
  SUBSCRIPTION_EVENTS,
  transfersOf,
  type WalletLog,
} from '../wait/decodeEvents.ts'
import { type ReadinessOf, readinessIn } from './Flow.ts'

/** A subscription that is there already. */
export interface SubscriptionRequest extends FlowRequest {
  readonly id: Hex
  /** The terms that the caller expects. Nothing is signed where the chain has others. */
  readonly terms?: AgreedTerms | undefined
}

export interface RemoveSubscriberRequest extends SubscriptionRequest {
  readonly subscriber: Address
}

/** What was left of a fee balance, and who got it. */
export interface Refunded {
  readonly subscriptionId: Hex
  readonly refunded: Quantity & { readonly to: Address }
}

/** That a provider has cancelled a subscription. */
export interface Cancelled {
  readonly subscriptionId: Hex
}

/** Leaving: the fee balance goes to the provider. */
export function defineUnsubscribe(
  api: Api,
  { id, chainId, paymasterUrl, terms: agreed }: SubscriptionRequest,
): FlowDefinition<PrepareUnsubscribeByIdAnswer, Refunded, ReadinessOf<PrepareUnsubscribeByIdAnswer>> {
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareUnsubscribeById({ id, from, chainId, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareUnsubscribeById({ id, from, chainId, paymasterUrl }, options),
    conclusion: async ({ account, reads }) =>
      leaveConclusion(await readSubscription(reads, id, agreed), account),
  }
}

function leaveConclusion({ terms, decimals }: KnownSubscription, account: Address): Conclusion<Refunded> {
  const { id, token, provider } = terms
  return {
    decimals: new Map([[token, decimals]]),
    conclude({ events }) {
      const own = { id, subscriber: account }
      const refund = findEvent(events, 'ProviderRefunded', own)
      if (findEvent(events, 'Unsubscribed', own) === undefined || refund === undefined) {
        throw new MissingEventError(`unsubscribing from ${id}`, account)
      }
      const quantity = toQuantity(toRaw(refund.args.amount, decimals), decimals)
      return { subscriptionId: id, refunded: { ...quantity, to: provider } }
    },
  }
}

/** The provider's removal of a subscriber, who gets the fee balance back. */
export function defineRemoveSubscriber(
  api: Api,
  { id, subscriber, chainId, paymasterUrl, terms: agreed }: RemoveSubscriberRequest,
): FlowDefinition<
  PrepareUnsubscribeByProviderByIdAnswer,
  Refunded,
  ReadinessOf<PrepareUnsubscribeByProviderByIdAnswer>
> {
  return {
    readiness: (from, options) =>
      readinessIn(
        api.prepareUnsubscribeByProviderById({ id, subscriber, from, chainId, readinessOnly: true }, options),
      ),
    prepare: (from, options) =>
      api.prepareUnsubscribeByProviderById({ id, subscriber, from, chainId, paymasterUrl }, options),
    conclusion: async (context) =>
      removalConclusion(await readSubscription(context.reads, id, agreed), subscriber, context),
  }
}

function removalConclusion(
  { terms: { id, token }, decimals }: KnownSubscription,
  subscriber: Address,
  { account, contract }: Pick<SentContext, 'account' | 'contract'>,
): Conclusion<Refunded> {
  return {
    decimals: new Map([[token, decimals]]),
    conclude({ events, transactions }) {
      if (findEvent(events, 'Unsubscribed', { id, subscriber }) === undefined) {
        throw new MissingEventError(`removing ${subscriber} from ${id}`, account)
      }
      // The contract does not log this refund. The token's Transfer event shows it, behind the log of the removal.
      const isRemoval = (log: WalletLog) => {
        const event = decodeLog(log)
        if (event?.eventName !== 'SubLog') return false
        const { args } = event
        const name = SUBSCRIPTION_EVENTS[args.subScriptEvent]
        const isOwn = isSameHex(args.id, id) && isAddressEqual(args.subscriber, subscriber)
        return name === 'Unsubscribed' && isOwn
      }
      const moved = transfersOf(token, logsBehind(contract, transactions, isRemoval))
        .filter(({ from, to }) => isAddressEqual(from, contract) && isAddressEqual(to, subscriber))
        .reduce((sum, { value }) => sum + value, 0n)
      return { subscriptionId: id, refunded: { ...toQuantity(moved, decimals), to: subscriber } }
    },
  }
}

/** The provider cancels a subscription. */
export function defineCancelSubscription(
  api: Api,
  { id, chainId, paymasterUrl, terms: agreed }: SubscriptionRequest,
): FlowDefinition<
  PrepareCancelSubscriptionByIdAnswer,
  Cancelled,
  ReadinessOf<PrepareCancelSubscriptionByIdAnswer>
> {
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareCancelSubscriptionById({ id, from, chainId, readinessOnly: true }, options)),
    prepare: (from, options) =>
      api.prepareCancelSubscriptionById({ id, from, chainId, paymasterUrl }, options),
    async conclusion({ account, reads }, prepared) {
      // What was sent before is read by its logs alone: the contract may have cleaned the subscription up since.
      if (prepared !== undefined) await readSubscription(reads, id, agreed)
      return cancelConclusion(id, account)
    },
  }
}

function cancelConclusion(id: Hex, account: Address): Conclusion<Cancelled> {
  return {
    conclude({ events }) {
      if (findEvent(events, 'Cancelled', { id }) === undefined) {
        throw new MissingEventError(`cancelling ${id}`, account)
      }
      return { subscriptionId: id }
    },
  }
}
