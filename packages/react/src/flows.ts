'use client'
import { type FlowParameters, type FlowResult, useFlow } from './useFlow.ts'

/** Subscribes the connected wallet, with the approval where one is needed. */
export function useSubscribeFlow(parameters?: FlowParameters<'subscribe'>): FlowResult<'subscribe'> {
  return useFlow('subscribe', parameters)
}

/** Leaves a subscription. The fee balance goes to the provider, and the allowance stays. */
export function useUnsubscribeFlow(parameters?: FlowParameters<'unsubscribe'>): FlowResult<'unsubscribe'> {
  return useFlow('unsubscribe', parameters)
}

/** Approves what keeps the wallet’s subscriptions in a token covered for so many charges. */
export function useExtendCoverageFlow(
  parameters?: FlowParameters<'extendCoverage'>,
): FlowResult<'extendCoverage'> {
  return useFlow('extendCoverage', parameters)
}

/** Takes back the allowance of a token: its subscriptions are dropped on their next due day. */
export function useRevokeAllowanceFlow(
  parameters?: FlowParameters<'revokeAllowance'>,
): FlowResult<'revokeAllowance'> {
  return useFlow('revokeAllowance', parameters)
}

/** Publishes a new subscription, whose provider is the connected wallet. */
export function useCreateSubscriptionFlow(
  parameters?: FlowParameters<'createSubscription'>,
): FlowResult<'createSubscription'> {
  return useFlow('createSubscription', parameters)
}

/** As its provider, ends a subscription for good. */
export function useCancelSubscriptionFlow(
  parameters?: FlowParameters<'cancelSubscription'>,
): FlowResult<'cancelSubscription'> {
  return useFlow('cancelSubscription', parameters)
}

/** As its provider, removes a subscriber, who gets the fee balance back. */
export function useRemoveSubscriberFlow(
  parameters?: FlowParameters<'removeSubscriber'>,
): FlowResult<'removeSubscriber'> {
  return useFlow('removeSubscriber', parameters)
}

/** As its provider, replaces the url and the description of a subscription. */
export function useEditDetailsFlow(parameters?: FlowParameters<'editDetails'>): FlowResult<'editDetails'> {
  return useFlow('editDetails', parameters)
}

/** Replaces what the connected wallet says of itself as a provider. */
export function useEditProviderDetailsFlow(
  parameters?: FlowParameters<'editProviderDetails'>,
): FlowResult<'editProviderDetails'> {
  return useFlow('editProviderDetails', parameters)
}

/** Collects what is due, for the caller’s fee. */
export function useRemitFlow(parameters?: FlowParameters<'remit'>): FlowResult<'remit'> {
  return useFlow('remit', parameters)
}
