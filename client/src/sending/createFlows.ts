import type { Address } from 'viem'
import type { Api } from '../generated/api.ts'
import { OwnWrites } from '../request/OwnWrites.ts'
import { assertWithinBudget } from './budget/assertWithinBudget.ts'
import { Budget, type BudgetEntry } from './budget/Budget.ts'
import type { PreparedBatch } from './check/checkPrepared.ts'
import { requireContracts } from './check/findContract.ts'
import type { Plan, Planned } from './check/Plan.ts'
import type { Sender } from './check/prepareChecked.ts'
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
import { planRemit, type RemitRequest } from './flows/remit.ts'
import { type RemitFlow, remitFlow } from './flows/remitFlow.ts'
import { planRevokeAllowance, type RevokeAllowanceRequest } from './flows/revokeAllowance.ts'
import { planSubscribe, type SubscribeRequest } from './flows/subscribe.ts'
import type { SendOptions, Wallet } from './send/Wallet.ts'

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
  /**
   * The most that a wallet may be committed to per month, token by token. With it, `subscribe` is signed only where
   * all active subscriptions of the wallet in the token, this one included, stay within it; a token that it does not
   * name is not subscribed to at all. It holds on every chain by itself.
   *
   * The wallet's subscriptions and all terms are read at the wallet's own node; where that cannot be read, nothing is
   * signed. A week counts as 20871/4800 of a month, exactly, a quarter as three and a year as twelve; equal to the
   * budget is within it. It bounds what is charged month after month: the month of subscribing has the first charge
   * beside it, and a month with five due days takes five weeks' worth of a weekly one.
   *
   * Creating a subscription commits its creator to nothing, since the contract lets no provider subscribe to its own:
   * that, leaving, revoking and remit are not held against it.
   *
   * @example
   * // 50 USDC a month on Base, and no other token.
   * createClient({ url, budget: [{ token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', perMonthRaw: 50_000_000n }] })
   */
  readonly budget?: readonly BudgetEntry[] | undefined
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
  /**
   * Throws OverBudgetError where subscribing would commit a wallet to more per month than the client's `budget`, and
   * ChainReadError where that cannot be seen. `subscribe(…).send` asks by itself: this is for those who sign what was
   * prepared otherwise, such as over MCP. Throws TypeError for a client without a budget.
   */
  assertWithinBudget(
    request: SubscriptionRequest,
    wallet: Wallet,
    options?: Pick<SendOptions, 'publicClient' | 'signal'>,
  ): Promise<void>
}

/**
 * The flows of one service. Throws TypeError for contracts that cannot be pinned.
 * @param now the caller's clock, in milliseconds
 */
export function createFlows(api: Api, options: FlowsOptions = {}, now: () => number = Date.now): Flows {
  const { contracts, trustServiceForContracts, ownWrites = new OwnWrites() } = options
  requireContracts(contracts)
  const budget = options.budget && new Budget(options.budget)
  const sender: Sender = { api, contracts, trustServiceForContracts, ownWrites, budget, now }
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
    assertWithinBudget: ({ chainId = options.chainId, ...request }, wallet, how) =>
      assertWithinBudget(sender, { ...request, chainId }, wallet, how),
  }
}
