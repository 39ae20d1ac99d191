import * as z from 'zod'
import type { SubscribeState } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'
import { defineOperation } from '../../core/operation.ts'
import type { PlannedCall } from '../../core/proof.ts'
import { SubscriptionNotFoundError } from '../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../errors/prepare.ts'
import { Quantity } from '../../schema/amount.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { Day } from '../../schema/numbers.ts'
import { toDayOrNull } from '../protocol/day.ts'
import { Subscription, toSubscription } from '../subscriptions/subscription.ts'
import { quantity } from '../tokens/token.ts'
import { answerPrepare } from './answerPrepare.ts'
import { approvalOptions, DEFAULT_APPROVAL_PERIODS } from './options.ts'
import { approveCall, protocolCall } from './plannedCall.ts'
import { inWords } from './preconditions.ts'
import { prepareAnswer } from './prepareAnswer.ts'
import { type SubscribeAllowance, subscribeAllowance } from './subscribeAllowance.ts'
import { subscribeIssues, subscribeWarnings } from './subscribeIssues.ts'

const FirstCharge = z
  .object({ toFeeBalance: Quantity, toProvider: Quantity })
  .describe('What subscribing takes at once, and where it goes.')

const Preflight = z.object({
  subscription: Subscription,
  needsApproval: z.boolean(),
  allowance: z.object({
    current: Quantity,
    contractRequired: Quantity.describe('One full period: the contract refuses with less.'),
    needed: Quantity.describe('What lasts for approvalPeriods charges, shared subscriptions included.'),
    proposed: Quantity.describe('What the allowance is after these transactions.'),
    coversUntil: Day.nullable(),
    sharedWith: z.array(SubscriptionId).describe('Other subscriptions that draw on the same allowance.'),
  }),
  balance: Quantity,
  firstCharge: FirstCharge,
  nextDue: Day.nullable(),
})

const Readiness = z.object({
  needsApproval: z.boolean(),
  allowance: Quantity,
  balance: Quantity,
  requiredAmount: Quantity.describe('One full period, which balance and allowance must both reach.'),
  firstCharge: FirstCharge,
  nextDue: Day.nullable(),
  neededAllowance: Quantity,
  proposedAllowance: Quantity,
  coversUntil: Day.nullable(),
})

/** Prepares subscribing: the approval that lasts, where one is needed, and the subscription itself. */
export const prepareSubscribeById = defineOperation({
  name: 'prepare_subscribe_by_id',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare subscribing to a subscription, with the ERC-20 approval where one is needed',
  description:
    'The approval covers the first charge and `approvalPeriods` charges by remit, beside every other ' +
    'subscription of the wallet in the same token: with less, remit would drop the subscriber.',
  rest: { method: 'POST', path: '/prepare/subscribe_by_id' },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, NotReadyError, SimulationFailedError],
  input: z.object({ id: SubscriptionId, ...approvalOptions }),
  output: prepareAnswer(Preflight, Readiness),
  async handle({ input, chain, requestId }) {
    const state = await chain.read.subscribeState(input.id, input.from)
    const allowance = subscribeAllowance(state, chain.asOf.timestamp, {
      approvalPeriods: input.approvalPeriods ?? DEFAULT_APPROVAL_PERIODS,
      infiniteApproval: input.infiniteApproval ?? false,
    })
    return answerPrepare(
      { chain, requestId },
      {
        operation: 'subscribe',
        input,
        issues: subscribeIssues(state, input.from, allowance),
        warnings: subscribeWarnings(state, chain.today),
        nativeBalance: state.nativeBalance,
        preflight: preflightOf(state, allowance),
        details: readinessOf(state, allowance),
        batches: () => subscribeBatches(chain, state, allowance),
      },
    )
  },
})

function subscribeBatches(
  chain: ChainView,
  { terms, token, settings }: SubscribeState,
  { current, needsApproval, proposed }: SubscribeAllowance,
): PlannedCall[][] {
  const { nextUncheckedDay } = settings
  const { amount } = toSubscription({ terms, token, nextUncheckedDay })
  const subscribe = protocolCall(
    chain.contractAddress,
    'subscribe',
    [terms],
    `subscribe to ${terms.id} for ${amount} a period`,
  )
  if (!needsApproval) return [[subscribe]]
  const approve = (amountRaw: bigint, words: string) =>
    approveCall(
      terms.token,
      chain.contractAddress,
      amountRaw,
      `${words} for the protocol ${chain.contractAddress}`,
    )
  const raise = approve(proposed, `approve ${inWords(proposed, token)}`)
  if (current === 0n) return [[raise, subscribe]]
  // Some tokens refuse to change an allowance that is not zero; which ones, only the proof can tell.
  const reset = approve(0n, `reset the allowance of ${inWords(current, token)} to 0`)
  return [
    [raise, subscribe],
    [reset, raise, subscribe],
  ]
}

function preflightOf(state: SubscribeState, allowance: SubscribeAllowance): z.output<typeof Preflight> {
  const { terms, token, settings, wallet } = state
  const subscription = toSubscription({ terms, token, nextUncheckedDay: settings.nextUncheckedDay })
  return {
    subscription,
    needsApproval: allowance.needsApproval,
    allowance: {
      current: quantity(allowance.current, token),
      contractRequired: quantity(allowance.contractRequired, token),
      needed: quantity(allowance.needed, token),
      proposed: quantity(allowance.proposed, token),
      coversUntil: toDayOrNull(allowance.coversUntil),
      sharedWith: [...allowance.sharedWith],
    },
    balance: quantity(wallet.balance, token),
    firstCharge: {
      toFeeBalance: quantity(allowance.firstCharge.toFeeBalance, token),
      toProvider: quantity(allowance.firstCharge.toProvider, token),
    },
    nextDue: subscription.nextDue,
  }
}

function readinessOf(state: SubscribeState, given: SubscribeAllowance): z.output<typeof Readiness> {
  const { allowance, balance, firstCharge, nextDue, needsApproval } = preflightOf(state, given)
  return {
    needsApproval,
    allowance: allowance.current,
    balance,
    requiredAmount: allowance.contractRequired,
    firstCharge,
    nextDue,
    neededAllowance: allowance.needed,
    proposedAllowance: allowance.proposed,
    coversUntil: allowance.coversUntil,
  }
}
