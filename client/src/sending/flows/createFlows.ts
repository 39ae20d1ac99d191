import type { Address } from 'viem'
import type { Api } from '../../generated/api.ts'
import { OwnWrites } from '../../request/OwnWrites.ts'
import type { PreparedBatch } from '../check/checkPrepared.ts'
import { requireContracts } from '../check/findContract.ts'
import type { Sender } from '../check/prepareChecked.ts'
import type { Plan, Planned } from '../send/FlowDefinition.ts'
import { type CreateSubscriptionRequest, planCreateSubscription } from './createSubscription.ts'
import {
  type EditDetailsRequest,
  type EditProviderDetailsRequest,
  planEditDetails,
  planEditProviderDetails,
} from './editing.ts'
import { createFlow, type Flow } from './Flow.ts'
import {
  planCancelSubscription,
  planRemoveSubscriber,
  planUnsubscribe,
  type RemoveSubscriberRequest,
  type SubscriptionRequest,
} from './leaving.ts'
import { planRemit, type RemitRequest } from './remit.ts'
import { type RemitFlow, remitFlow } from './remitFlow.ts'
import { planRevokeAllowance, type RevokeAllowanceRequest } from './revokeAllowance.ts'
import { planSubscribe, type SubscribeRequest } from './subscribe.ts'

export interface FlowsOptions {
  /** The chain of every flow that names none. Where this names none either, it is the one that the wallet is on. */
  readonly chainId?: number | undefined
  /**
   * Where the protocol's contract is, by chain id. Base and Base Sepolia are built in. On any other chain nothing is
   * signed without this.
   *
   * @example
   * // The development chain of `npm start`, whose contract has the same address on every machine.
   * createClient({
   *   url: 'http://127.0.0.1:3000',
   *   contracts: { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
   * })
   */
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  /**
   * On a chain whose contract is not known, `true` takes the one that the service names. Wallets then approve tokens
   * to that contract and call it: whoever runs the service, or is between it and you, can take what they hold. Only
   * for a service of your own, on a chain where nothing is of value.
   *
   * @example
   * createClient({ url: 'http://127.0.0.1:3000', trustServiceForContracts: true })
   */
  readonly trustServiceForContracts?: boolean | undefined
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
 * The flows of one service. Throws TypeError for contracts that cannot be pinned.
 * @param now the caller's clock, in milliseconds
 */
export function createFlows(api: Api, options: FlowsOptions = {}, now: () => number = Date.now): Flows {
  const { contracts, trustServiceForContracts, ownWrites = new OwnWrites() } = options
  requireContracts(contracts)
  const sender: Sender = { api, contracts, trustServiceForContracts, ownWrites, now }
  const planned = <
    Request extends { readonly chainId?: number | undefined },
    Prepared extends PreparedBatch,
    Result,
    Told,
  >(
    plan: (api: Api, request: Request) => Plan<Prepared, Result, Told>,
    request: Request,
  ): Planned<Prepared, Result, Told> => ({
    chainId: request.chainId ?? options.chainId,
    on: (chainId) => plan(api, { ...request, chainId }),
  })
  return {
    createSubscription: (request) => createFlow(sender, planned(planCreateSubscription, request)),
    subscribe: (request) => createFlow(sender, planned(planSubscribe, request)),
    unsubscribe: (request) => createFlow(sender, planned(planUnsubscribe, request)),
    cancelSubscription: (request) => createFlow(sender, planned(planCancelSubscription, request)),
    removeSubscriber: (request) => createFlow(sender, planned(planRemoveSubscriber, request)),
    editDetails: (request) => createFlow(sender, planned(planEditDetails, request)),
    editProviderDetails: (request) => createFlow(sender, planned(planEditProviderDetails, request)),
    revokeAllowance: (request) => createFlow(sender, planned(planRevokeAllowance, request)),
    remit: (request = {}) => remitFlow(sender, planned(planRemit, request)),
  }
}
