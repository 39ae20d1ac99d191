import type { Api } from '../generated/api.ts'
import { OwnWrites } from '../request/OwnWrites.ts'
import { createFlow, type Flow } from './Flow.ts'
import { type CreateSubscriptionRequest, planCreateSubscription } from './flows/createSubscription.ts'
import {
  type EditDetailsRequest,
  type EditProviderDetailsRequest,
  planEditDetails,
  planEditProviderDetails,
} from './flows/editing.ts'
import {
  planCancelSubscription,
  planRemoveSubscriber,
  planUnsubscribe,
  type RemoveSubscriberRequest,
  type SubscriptionRequest,
} from './flows/leaving.ts'
import type { RemitRequest } from './flows/remit.ts'
import { type RemitFlow, remitFlow } from './flows/remitFlow.ts'
import { planRevokeAllowance, type RevokeAllowanceRequest } from './flows/revokeAllowance.ts'
import { planSubscribe, type SubscribeRequest } from './flows/subscribe.ts'
import type { Plan } from './Plan.ts'
import type { Sender } from './prepareChecked.ts'

export interface FlowsOptions extends Pick<Sender, 'contracts'> {
  /** The chain of every flow that names none. The api must have the same default. */
  readonly chainId?: number | undefined
  /** What the api's calls take heed of. */
  readonly ownWrites?: OwnWrites | undefined
}

/** A plan's flow. */
type FlowOf<Planned> =
  Planned extends Plan<infer Prepared, infer Result, infer Told> ? Flow<Prepared, Result, Told> : never

/** What wallets can do with the protocol, each to its end: prepared, checked, signed, sent, mined and decoded. */
export interface Flows {
  /** Publishes a new subscription. */
  createSubscription(request: CreateSubscriptionRequest): FlowOf<ReturnType<typeof planCreateSubscription>>
  /** Subscribes, with the approval of the token that lasts for the periods where one is needed. */
  subscribe(request: SubscribeRequest): FlowOf<ReturnType<typeof planSubscribe>>
  /** Leaves a subscription. The fee balance goes to the provider, and the allowance stays. */
  unsubscribe(request: SubscriptionRequest): FlowOf<ReturnType<typeof planUnsubscribe>>
  /** As its provider, ends a subscription for good. */
  cancelSubscription(request: SubscriptionRequest): FlowOf<ReturnType<typeof planCancelSubscription>>
  /** As its provider, removes a subscriber, who gets the fee balance back. */
  removeSubscriber(request: RemoveSubscriberRequest): FlowOf<ReturnType<typeof planRemoveSubscriber>>
  /** As its provider, replaces the url and the description of a subscription. */
  editDetails(request: EditDetailsRequest): FlowOf<ReturnType<typeof planEditDetails>>
  /** Replaces what the account says of itself as a provider. */
  editProviderDetails(request: EditProviderDetailsRequest): FlowOf<ReturnType<typeof planEditProviderDetails>>
  /** Takes back the allowance of a token. Whatever is still subscribed to in it is dropped when it is due. */
  revokeAllowance(request: RevokeAllowanceRequest): FlowOf<ReturnType<typeof planRevokeAllowance>>
  /** Collects what is due, for the caller's fee. */
  remit(request?: RemitRequest): RemitFlow
}

/**
 * The flows of one service.
 * @param options `contracts` pins the protocol's contract by chain id. Base and Base Sepolia are built in; on any
 *   other chain that is not pinned the contract is the one that the service names, and no safer than the service.
 */
export function createFlows(
  api: Api,
  { contracts, chainId, ownWrites = new OwnWrites() }: FlowsOptions = {},
): Flows {
  const sender = { api, contracts, ownWrites }
  const onChain = <Request extends { readonly chainId?: number | undefined }>(request: Request): Request => ({
    ...request,
    chainId: request.chainId ?? chainId,
  })
  return {
    createSubscription: (request) => createFlow(sender, planCreateSubscription(api, onChain(request))),
    subscribe: (request) => createFlow(sender, planSubscribe(api, onChain(request))),
    unsubscribe: (request) => createFlow(sender, planUnsubscribe(api, onChain(request))),
    cancelSubscription: (request) => createFlow(sender, planCancelSubscription(api, onChain(request))),
    removeSubscriber: (request) => createFlow(sender, planRemoveSubscriber(api, onChain(request))),
    editDetails: (request) => createFlow(sender, planEditDetails(api, onChain(request))),
    editProviderDetails: (request) => createFlow(sender, planEditProviderDetails(api, onChain(request))),
    revokeAllowance: (request) => createFlow(sender, planRevokeAllowance(api, onChain(request))),
    remit: (request = {}) => remitFlow(sender, onChain(request)),
  }
}
