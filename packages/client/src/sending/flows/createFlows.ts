import type {
  Api,
  CheckSubscribeReadinessByIdAnswer,
  PrepareCancelSubscriptionByIdAnswer,
  PrepareCreateSubscriptionAnswer,
  PrepareEditDetailsAnswer,
  PrepareEditProviderDetailsAnswer,
  PrepareExtendCoverageAnswer,
  PrepareRevokeAllowanceAnswer,
  PrepareSubscribeByIdAnswer,
  PrepareUnsubscribeByIdAnswer,
  PrepareUnsubscribeByProviderByIdAnswer,
} from '../../generated/api.ts'
import { OwnWrites } from '../../request/freshCaller.ts'
import { assertWithinBudget } from '../check/assertWithinBudget.ts'
import { Budget, type BudgetEntry } from '../check/Budget.ts'
import { type ContractOptions, requireContracts } from '../check/findContract.ts'
import type { Sender } from '../check/prepareHere.ts'
import type { FlowRequest } from '../send/FlowDefinition.ts'
import type {
  CarryPermitFlow,
  CarryPermitsFlow,
  CarryPermitsRequest,
  PermitFlow,
  SignedPermit,
} from '../signed/SignedPermit.ts'
import { type PermitOptions, SignedPermits } from '../signed/SignedPermits.ts'
import type { CarryTopUpFlow, SignedTopUp, TopUpFlow, TopUpRequest } from '../signed/SignedTopUp.ts'
import {
  carryPermitFlow,
  carryPermitsFlow,
  carryTopUpFlow,
  createPermitFlow,
  defineTopUp,
  topUpFlow,
} from '../signed/signedFlows.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import {
  type CoverageExtended,
  defineExtendCoverage,
  defineRevokeAllowance,
  type ExtendCoverageRequest,
  type RevokeAllowanceRequest,
  type Revoked,
} from './allowance.ts'
import {
  type Created,
  type CreateSubscriptionRequest,
  defineCreateSubscription,
} from './createSubscription.ts'
import {
  type DetailsEdited,
  defineEditDetails,
  defineEditProviderDetails,
  type EditDetailsRequest,
  type EditProviderDetailsRequest,
  type ProviderDetailsEdited,
} from './editing.ts'
import { createFlow, type Flow, type ReadinessOf } from './Flow.ts'
import {
  type Cancelled,
  defineCancelSubscription,
  defineRemoveSubscriber,
  defineUnsubscribe,
  type Refunded,
  type RemoveSubscriberRequest,
  type SubscriptionRequest,
} from './leaving.ts'
import { defineRemit, type RemitFlow, type RemitRequest, remitFlow } from './remit.ts'
import { defineSubscribe, type Subscribed, type SubscribeRequest } from './subscribe.ts'

/** What a wallet may be committed to. */
export interface BudgetOptions {
  /**
   * The most that a wallet may be committed to per month, token by token. With it, `subscribe` is signed only where
   * all active subscriptions of the wallet in the token, this one included, stay within it; a token that it does not
   * name is not subscribed to at all. It holds on every chain by itself.
   *
   * The wallet's subscriptions and all terms are read at the wallet's own node; where that cannot be read, nothing is
   * signed. A weekly amount counts 20871/4800 times a month, exactly, a quarterly one a third and a yearly one a twelfth;
   * equal to the budget is within it. It bounds what is charged month after month: the month of subscribing has the first charge
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
}

/** What of a client's options its flows need. */
export interface FlowsOptions extends ContractOptions, BudgetOptions, PermitOptions {
  /** The chain of every flow that names none. Where this names none either, it is the one that the wallet is on. */
  readonly chainId?: number | undefined
  /** The blocks of own transactions, for the API's calls. */
  readonly ownWrites?: OwnWrites | undefined
}

/**
 * What wallets can do with the protocol, each to its end: prepared, checked, signed, sent, mined and decoded. A method gives a flow, and
 * only notes what is wanted: nothing is asked or signed before the flow's own methods are called (`Flow.ts`), such as `prepare` or `send`.
 * `assertWithinBudget`, the last one, is no flow: it checks at once.
 */
export interface Flows {
  /**
   * Publishes a new subscription.
   *
   * @example
   * const { subscriptionId } = await client
   *   .createSubscription({
   *     amount: '9.99',
   *     token,
   *     details: { url: 'https://shop.example/plan', description: 'The paper, once a month' },
   *     frequency: 1,
   *     dueDay: 15,
   *   })
   *   .send(wallet)
   */
  createSubscription(
    request: CreateSubscriptionRequest,
  ): Flow<PrepareCreateSubscriptionAnswer, Created, ReadinessOf<PrepareCreateSubscriptionAnswer>>
  /**
   * Subscribes, with the approval of the token that lasts for the periods where one is needed. `sign` signs for that allowance
   * in place of approving it: once the permit is carried, subscribing needs no approval, and a permit that was signed before is void.
   *
   * @example
   * const { firstCharge } = await client.subscribe({ id, approvalPeriods: 6 }).send(wallet)
   * console.log(firstCharge.toProvider.amount)
   */
  subscribe(
    request: SubscribeRequest,
  ): PermitFlow<PrepareSubscribeByIdAnswer, Subscribed, CheckSubscribeReadinessByIdAnswer>
  /**
   * Leaves a subscription. The fee balance goes to the provider, and the allowance stays.
   *
   * @example
   * const { refunded } = await client.unsubscribe({ id }).send(wallet)
   * console.log(`${refunded.amount} went to ${refunded.to}`)
   */
  unsubscribe(
    request: SubscriptionRequest,
  ): Flow<PrepareUnsubscribeByIdAnswer, Refunded, ReadinessOf<PrepareUnsubscribeByIdAnswer>>
  /**
   * As its provider, ends a subscription for good.
   *
   * @example
   * await client.cancelSubscription({ id }).send(wallet)
   */
  cancelSubscription(
    request: SubscriptionRequest,
  ): Flow<PrepareCancelSubscriptionByIdAnswer, Cancelled, ReadinessOf<PrepareCancelSubscriptionByIdAnswer>>
  /**
   * As its provider, removes a subscriber, who gets the fee balance back.
   *
   * @example
   * await client.removeSubscriber({ id, subscriber: account }).send(wallet)
   */
  removeSubscriber(
    request: RemoveSubscriberRequest,
  ): Flow<
    PrepareUnsubscribeByProviderByIdAnswer,
    Refunded,
    ReadinessOf<PrepareUnsubscribeByProviderByIdAnswer>
  >
  /**
   * As its provider, replaces the url and the description of a subscription.
   *
   * @example
   * const details = { url: 'https://shop.example/plan', description: 'The paper, now with a crossword' }
   * await client.editDetails({ id, details }).send(wallet)
   */
  editDetails(
    request: EditDetailsRequest,
  ): Flow<PrepareEditDetailsAnswer, DetailsEdited, ReadinessOf<PrepareEditDetailsAnswer>>
  /**
   * Replaces what the account says of itself as a provider.
   *
   * @example
   * await client
   *   .editProviderDetails({
   *     company: 'Paper & Co',
   *     description: 'A paper, printed',
   *     url: 'https://shop.example',
   *     domain: 'shop.example',
   *     email: 'ada@shop.example',
   *     misc: '',
   *   })
   *   .send(wallet)
   */
  editProviderDetails(
    request: EditProviderDetailsRequest,
  ): Flow<
    PrepareEditProviderDetailsAnswer,
    ProviderDetailsEdited,
    ReadinessOf<PrepareEditProviderDetailsAnswer>
  >
  /**
   * Approves what keeps each of the wallet's active subscriptions in a token covered for so many charges. It never
   * lowers an allowance. With a `budget`, what the wallet is committed to in the token must be within it.
   *
   * @example
   * await client.extendCoverage({ token, approvalPeriods: 12 }).send(wallet)
   */
  extendCoverage(
    request: ExtendCoverageRequest,
  ): PermitFlow<PrepareExtendCoverageAnswer, CoverageExtended, ReadinessOf<PrepareExtendCoverageAnswer>>
  /**
   * Takes back the allowance of a token. Subscriptions in this token are dropped on their next due day.
   *
   * @example
   * const { allowanceRaw } = await client.revokeAllowance({ token }).send(wallet)
   * console.log(allowanceRaw === 0n)
   */
  revokeAllowance(
    request: RevokeAllowanceRequest,
  ): PermitFlow<PrepareRevokeAllowanceAnswer, Revoked, ReadinessOf<PrepareRevokeAllowanceAnswer>>
  /**
   * Carries what another wallet has signed by `sign`, and pays the gas. Nothing else of this wallet is at stake: the owner
   * allows the protocol's contract so much of a token, and nobody else. What somebody has carried already is a success.
   * @throws RemitError with the code PERMIT_VOID where the token would refuse it; SendingError
   *
   * @example
   * async function rescue(kept: string) {
   *   const { owner, allowanceRaw } = await client.carryPermit(JSON.parse(kept)).send(wallet)
   *   console.log(`${owner} allows ${allowanceRaw} now`)
   * }
   */
  carryPermit(signed: SignedPermit): CarryPermitFlow
  /**
   * Carries several of them: together where the wallet has `wallet_sendCalls`, else one by one. Each is tried at the wallet's own
   * node before anything is signed, and what has become void is left out.
   * @throws RemitError with the code PERMIT_VOID where all of them are; TypeError where they are of several chains; SendingError
   *
   * @example
   * async function rescueAll(kept: string) {
   *   const { permits, left } = await client.carryPermits({ permits: JSON.parse(kept) }).send(wallet)
   *   console.log(`${permits.length} are carried, ${left.length} were void`)
   * }
   */
  carryPermits(request: CarryPermitsRequest): CarryPermitsFlow
  /**
   * Gives a member's wallet money, out of this one: a gift that nobody can take back. `sign` needs no ether.
   *
   * @example
   * const [held] = (await client.getAccountOutlook({ address: account })).wallet.tokens
   * if (held !== undefined && held.toAdd.balance.amountRaw > 0n) {
   *   const value = held.toAdd.balance.amountRaw.toString()
   *   await client.topUp({ account, token: held.token.address, value }).send(wallet)
   * }
   */
  topUp(request: TopUpRequest): TopUpFlow
  /**
   * Carries a transfer that another wallet has signed by `topUp(…).sign`, and pays the gas. Nothing else of this wallet is at stake.
   * What is used already is a success that sends nothing: somebody has carried it, or its payer has cancelled it.
   * @throws RemitError with the code AUTHORIZATION_VOID where the token would refuse it; SendingError
   *
   * @example
   * async function handIn(kept: string) {
   *   const { account, balanceRaw } = await client.carryTopUp(JSON.parse(kept)).send(wallet)
   *   console.log(`${account} holds ${balanceRaw} now`)
   * }
   */
  carryTopUp(signed: SignedTopUp): CarryTopUpFlow
  /**
   * Collects what is due, for the caller's fee.
   *
   * @example
   * const { feesEarned, remaining } = await client.remit().send(wallet)
   * for (const { amount, token } of feesEarned) console.log(amount, token)
   * console.log(`some ${remaining} more calls of remit are needed`)
   */
  remit(request?: RemitRequest): RemitFlow
  /**
   * Throws OverBudgetError if subscribing would commit a wallet to more per month than the client's `budget`, and
   * ChainReadError if that cannot be read. `subscribe(…).send` does this by itself. Call it before you sign what was
   * prepared in another way, over MCP for example. Throws TypeError for a client without a budget.
   *
   * @example
   * await client.assertWithinBudget({ id }, wallet)
   */
  assertWithinBudget(
    request: SubscriptionRequest,
    wallet: Wallet,
    options?: Pick<SendOptions, 'publicClient' | 'signal'>,
  ): Promise<void>
}

/** The flows of one service. Throws TypeError for contracts that cannot be pinned. */
export function createFlows(api: Api, options: FlowsOptions = {}): Flows {
  const { contracts, trustServiceForContracts, ownWrites = new OwnWrites() } = options
  requireContracts(contracts)
  const budget = options.budget && new Budget(options.budget)
  const signedPermits = new SignedPermits(options)
  const sender: Sender = { api, contracts, trustServiceForContracts, ownWrites, signedPermits, budget }
  // Where neither the request nor the client names a chain, it is the wallet's, which is known once the flow is sent: then `on` is called.
  const requested = <Request extends FlowRequest, Definition>(
    define: (api: Api, request: Request) => Definition,
    request: Request,
  ) => ({
    chainId: request.chainId ?? options.chainId,
    on: (at: Api, chainId: number | undefined) => define(at, { ...request, chainId }),
  })
  return {
    createSubscription: (request) => createFlow(sender, requested(defineCreateSubscription, request)),
    subscribe: (request) => createPermitFlow(sender, requested(defineSubscribe, request)),
    unsubscribe: (request) => createFlow(sender, requested(defineUnsubscribe, request)),
    cancelSubscription: (request) => createFlow(sender, requested(defineCancelSubscription, request)),
    removeSubscriber: (request) => createFlow(sender, requested(defineRemoveSubscriber, request)),
    editDetails: (request) => createFlow(sender, requested(defineEditDetails, request)),
    editProviderDetails: (request) => createFlow(sender, requested(defineEditProviderDetails, request)),
    extendCoverage: (request) => createPermitFlow(sender, requested(defineExtendCoverage, request)),
    revokeAllowance: (request) => createPermitFlow(sender, requested(defineRevokeAllowance, request)),
    carryPermit: (signed) => carryPermitFlow(sender, signed),
    carryPermits: (request) => carryPermitsFlow(sender, request),
    topUp: (request) => topUpFlow(sender, requested(defineTopUp, request)),
    carryTopUp: (signed) => carryTopUpFlow(sender, signed),
    remit: (request = {}) => remitFlow(sender, requested(defineRemit, request)),
    assertWithinBudget: ({ chainId = options.chainId, ...request }, wallet, how) =>
      assertWithinBudget(sender, { ...request, chainId }, wallet, how),
  }
}
