import type { Address } from 'viem'
import * as z from 'zod'
import type { Standing } from '../../../core/ports/chainReads.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { PlannedCall } from '../../../core/ports/proof.ts'
import { AllowanceCovers, Covers, toAllowanceCovers, toCovers } from '../../../presentation/covers.ts'
import { toDayOrNull } from '../../../presentation/day.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { protocolQuantity, quantity } from '../../../presentation/token.ts'
import { DEFAULT_APPROVAL_PERIODS } from '../../../protocol/allowance.ts'
import { coverageOf, ENDLESS } from '../../../protocol/coverage/coverage.ts'
import { type SubscribeEffect, subscribeEffect } from '../../../protocol/coverage/subscribeEffect.ts'
import { Quantity } from '../../../schema/amount.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { Day } from '../../../schema/numbers.ts'
import type { Findings } from '../answer/answerPrepare.ts'
import { midnightAfter } from '../answer/dayEndsSoon.ts'
import { expectTerms, type NamedSubscription } from '../answer/givenSubscription.ts'
import { approveCall, protocolCall } from '../answer/plannedCall.ts'
import { inWords } from '../answer/preconditions.ts'
import { coverageWarnings } from './coverageWarnings.ts'
import { subscribeAfterMidnight } from './subscribeAfterMidnight.ts'
import { type SubscribeAllowance, subscribeAllowance } from './subscribeAllowance.ts'
import { subscribeIssues, subscribeWarnings } from './subscribeIssues.ts'

const FirstCharge = z
  .object({ toFeeBalance: Quantity, toProvider: Quantity })
  .describe('What subscribing takes at once, and where it goes.')

const CoversAfter = Covers.nullable().describe(
  'How far the wallet carries it, by today’s balance and the allowance after these transactions, beside its other ' +
    'subscriptions in the token and after the first charge; null where the provider has cancelled it.',
)

const AlsoAffects = z
  .array(
    z.object({
      id: SubscriptionId,
      before: Covers,
      after: Covers,
      allowanceCovers: z
        .object({ before: AllowanceCovers.nullable(), after: AllowanceCovers.nullable() })
        .describe('The same by the allowance alone; null without end.'),
    }),
  )
  .describe(
    'The wallet’s other subscriptions in the token that are carried less far, or farther, afterwards.',
  )

/** What preparing a subscribe found. */
export const SubscribePreflight = z
  .object({
    subscription: Subscription,
    needsApproval: z.boolean(),
    allowance: z.object({
      current: Quantity,
      contractRequired: Quantity.describe('One full period: the contract refuses with less.'),
      needed: Quantity.describe(
        'What lasts for approvalPeriods charges, shared subscriptions included; with keepCoverage also what keeps ' +
          'the dates of the others.',
      ),
      proposed: Quantity.describe('What the allowance is after these transactions.'),
      coversUntil: Day.nullable(),
      sharedWith: z.array(SubscriptionId).describe('Other subscriptions that draw on the same allowance.'),
    }),
    balance: Quantity,
    firstCharge: FirstCharge,
    nextDue: Day.nullable(),
    covers: CoversAfter,
    alsoAffects: AlsoAffects,
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
    covers: CoversAfter,
    alsoAffects: AlsoAffects,
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
    readonly keepCoverage?: boolean | undefined
  },
): Promise<Findings<z.output<typeof SubscribePreflight>, z.output<typeof SubscribeReadiness>>> {
  const { from, approvalPeriods = DEFAULT_APPROVAL_PERIODS } = input
  const { infiniteApproval = false, keepCoverage = false } = input
  const state = await chain.read.standing(named.id, from, from)
  expectTerms(named, state)
  const wish = { approvalPeriods, infiniteApproval, keepCoverage }
  const allowance = subscribeAllowance(state, chain.now, wish)
  const { firstCharge: after } = subscribeAllowance(state, midnightAfter(chain), wish)
  const effect = effectOf(state, allowance)
  const preflight = preflightOf(state, allowance, effect, chain.today)
  return {
    operation: 'subscribe',
    issues: subscribeIssues(state, from, allowance),
    warnings: [
      ...subscribeWarnings(state, chain.today),
      ...subscribeAfterMidnight(chain, state, { today: allowance.firstCharge, after }),
      ...(effect === null ? [] : coverageWarnings(state, effect, { from, keepCoverage })),
    ],
    nativeBalance: state.nativeBalance,
    preflight,
    details: readinessOf(preflight),
    batches: () => subscribeBatches(chain, state, allowance),
  }
}

/** The next steps where an account is ready to subscribe. */
export function subscribeSteps(chain: ChainView, route: 'subscribe' | 'subscribe_by_id'): string[] {
  return [
    `Ask POST /prepare/${route}?chainId=${chain.chainId} (tool prepare_${route}) for the transactions with the ` +
      'same input, and sign them.',
  ]
}

function subscribeBatches(
  chain: ChainView,
  { terms, token }: Standing,
  { current, needsApproval, proposed }: SubscribeAllowance,
): PlannedCall[][] {
  const { amount } = protocolQuantity(terms.amount, token)
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
  // Some tokens refuse to change an allowance that is not zero. Only the proof shows which.
  const reset = approve(0n, `reset the allowance of ${inWords(current, token)} to 0`)
  return [
    [raise, subscribe],
    [reset, raise, subscribe],
  ]
}

/** `null` where nothing will ever be charged. Where the wallet is subscribed already, no other subscription changes. */
function effectOf(state: Standing, allowance: SubscribeAllowance): SubscribeEffect | null {
  const { terms, token, settings, wallet } = state
  if (terms.cancelled) return null
  const { callerFee, nextUncheckedDay } = settings
  const walk = { decimals: token.decimals, callerFee, nextUncheckedDay }
  if (state.isSubscribed) {
    const subscriptions = allowance.charged.map((charged) =>
      charged.id === terms.id ? { ...charged, feeBalance: state.feeBalance } : charged,
    )
    const covers = coverageOf({ ...walk, subscriptions, means: wallet }).get(terms.id) ?? ENDLESS
    return { covers, others: [], shortfall: null }
  }
  return subscribeEffect({
    ...walk,
    subscriptions: allowance.charged,
    id: terms.id,
    before: wallet,
    approved: allowance.proposed,
    firstChargeRaw: allowance.firstCharge.total,
  })
}

function preflightOf(
  state: Standing,
  allowance: SubscribeAllowance,
  effect: SubscribeEffect | null,
  today: number,
): z.output<typeof SubscribePreflight> {
  const { token, wallet } = state
  const subscription = toSubscription(state, today)
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
    covers: effect === null ? null : toCovers(effect.covers),
    alsoAffects: (effect?.others ?? []).map(({ id, covers, allowanceCovers }) => ({
      id,
      before: toCovers(covers.before),
      after: toCovers(covers.after),
      allowanceCovers: {
        before: toAllowanceCovers(allowanceCovers.before),
        after: toAllowanceCovers(allowanceCovers.after),
      },
    })),
  }
}

function readinessOf({
  allowance,
  subscription: _,
  ...rest
}: z.output<typeof SubscribePreflight>): z.output<typeof SubscribeReadiness> {
  return {
    ...rest,
    allowance: allowance.current,
    requiredAmount: allowance.contractRequired,
    neededAllowance: allowance.needed,
    proposedAllowance: allowance.proposed,
    coversUntil: allowance.coversUntil,
  }
}
