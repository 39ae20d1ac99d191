import type { Address } from 'viem'
import * as z from 'zod'
import type { Standing } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'
import type { PlannedCall } from '../../core/proof.ts'
import { Quantity } from '../../schema/amount.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { Day } from '../../schema/numbers.ts'
import { toDayOrNull } from '../protocol/day.ts'
import { Subscription, toSubscription } from '../subscriptions/subscription.ts'
import { quantity } from '../tokens/token.ts'
import type { Findings } from './answerPrepare.ts'
import { midnightAfter, subscribeAfterMidnight } from './dayEndsSoon.ts'
import { expectTerms, type NamedSubscription } from './givenSubscription.ts'
import { DEFAULT_APPROVAL_PERIODS } from './options.ts'
import { approveCall, protocolCall } from './plannedCall.ts'
import { inWords } from './preconditions.ts'
import { type SubscribeAllowance, subscribeAllowance } from './subscribeAllowance.ts'
import { subscribeIssues, subscribeWarnings } from './subscribeIssues.ts'

const FirstCharge = z
  .object({ toFeeBalance: Quantity, toProvider: Quantity })
  .describe('What subscribing takes at once, and where it goes.')

/** What preparing a subscribe found. */
export const SubscribePreflight = z
  .object({
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
  .meta({ id: 'SubscribePreflight' })

/** What stands for or against subscribing, and what it takes. */
export const SubscribeReadiness = z
  .object({
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
  .meta({ id: 'SubscribeReadiness' })

/** What subscribing takes of a wallet, what stands against it, and how it is done. */
export async function planSubscribe(
  chain: ChainView,
  named: NamedSubscription,
  input: {
    readonly from: Address
    readonly approvalPeriods?: number | undefined
    readonly infiniteApproval?: boolean | undefined
  },
): Promise<Findings<z.output<typeof SubscribePreflight>, z.output<typeof SubscribeReadiness>>> {
  const { from, approvalPeriods = DEFAULT_APPROVAL_PERIODS, infiniteApproval = false } = input
  const state = await chain.read.standing(named.id, from, from)
  expectTerms(named, state)
  const options = { approvalPeriods, infiniteApproval }
  const allowance = subscribeAllowance(state, chain.now, options)
  const { firstCharge: after } = subscribeAllowance(state, midnightAfter(chain), options)
  return {
    operation: 'subscribe',
    issues: subscribeIssues(state, from, allowance),
    warnings: [
      ...subscribeWarnings(state, chain.today),
      ...subscribeAfterMidnight(chain, state, { today: allowance.firstCharge, after }),
    ],
    nativeBalance: state.nativeBalance,
    preflight: preflightOf(state, allowance),
    details: readinessOf(state, allowance),
    batches: () => subscribeBatches(chain, state, allowance),
  }
}

/** What to do once nothing stands against subscribing. */
export function subscribeSteps(chain: ChainView, route: 'subscribe' | 'subscribe_by_id'): string[] {
  return [
    `Ask POST /prepare/${route}?chainId=${chain.chainId} (tool prepare_${route}) for the transactions with the ` +
      'same input, and sign them.',
  ]
}

function subscribeBatches(
  chain: ChainView,
  { terms, token, settings }: Standing,
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

function preflightOf(state: Standing, allowance: SubscribeAllowance): z.output<typeof SubscribePreflight> {
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

function readinessOf(state: Standing, given: SubscribeAllowance): z.output<typeof SubscribeReadiness> {
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
