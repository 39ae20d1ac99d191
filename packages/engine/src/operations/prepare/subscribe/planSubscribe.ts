import { DEFAULT_APPROVAL_PERIODS } from '@remit/protocol/allowance'
import { coverageOf, type SubscribeEffect, subscribeEffect } from '@remit/protocol/coverage'
import type { Address } from 'viem'
import * as z from 'zod'
import type { MembershipState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { AllowanceCovers, Covers, toAllowanceCovers, toCovers } from '../../../presentation/accountRow.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { toDayOrNull } from '../../../presentation/day.ts'
import { sharedWithFields } from '../../../presentation/sharedWith.ts'
import { Subscription, toSubscription } from '../../../presentation/subscription.ts'
import { amountText } from '../../../presentation/subscriptionText.ts'
import { protocolQuantity, quantity } from '../../../presentation/token.ts'
import { Quantity, Token } from '../../../schema/amount.ts'
import { SubscriptionId } from '../../../schema/hex.ts'
import { Day } from '../../../schema/numbers.ts'
import { expectTerms, type NamedSubscription } from '../answer/definePrepare.ts'
import { approvalBatches, protocolCall } from '../answer/plannedCall.ts'
import { inWords } from '../answer/preconditions.ts'
import { type Findings, midnightAfter } from '../answer/prepareAnswer.ts'
import { loadPermits, outstandingPermits } from '../permit/permitWish.ts'
import {
  type SubscribeAllowance,
  subscribeAllowance,
  subscribeIssues,
  subscribeWarnings,
} from './subscribeFindings.ts'

// The plan of subscribing, for its two prepares and its two readiness checks: the state is read, the allowance to approve calculated
// (subscribeFindings.ts), the effect on the wallet's other subscriptions foreseen, and all of it answered with the calls. Coverage is
// for how many charges allowance and balance last; all subscriptions of a wallet in one token draw on both.

const FirstCharge = z
  .object({ toFeeBalance: Quantity, toProvider: Quantity })
  .describe('What subscribing takes at once, and where it goes.')

const CoversAfter = Covers.nullable().describe(
  'How long the wallet pays for it after the first charge, from today’s balance and the new allowance, ' +
    'beside its other subscriptions in the token; null where the provider has cancelled it.',
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
    'The wallet’s other subscriptions in the token that are covered for less or more time afterwards.',
  )

/** What preparing a subscribe found on chain, and calculated from it. */
export const SubscribePreflight = z
  .object({
    subscription: Subscription,
    needsApproval: z.boolean(),
    allowance: z.object({
      current: Quantity,
      contractRequired: Quantity.describe('One full period: the contract refuses less.'),
      needed: Quantity.describe(
        'Enough for approvalPeriods charges and the subscriptions that share it; with keepCoverage, also for ' +
          'the others’ dates.',
      ),
      proposed: Quantity.describe('What the allowance is after these transactions.'),
      coversUntil: Day.nullable(),
      ...sharedWithFields('Other subscriptions that draw on the same allowance.'),
    }),
    balance: Quantity,
    firstCharge: FirstCharge,
    nextDue: Day.nullable(),
    covers: CoversAfter,
    alsoAffects: AlsoAffects,
  })
  .meta({ id: 'SubscribePreflight' })

/** Whether an account can subscribe, and what it would pay. */
export const SubscribeReadiness = z
  .object({
    token: Token.describe('What all amounts here are in.'),
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

type Preflight = z.output<typeof SubscribePreflight>
type Readiness = z.output<typeof SubscribeReadiness>

/** Plans subscribing: what it costs the wallet, what prevents it, and the calls. */
export async function planSubscribe(
  chain: ChainView,
  named: NamedSubscription,
  input: {
    readonly from: Address
    readonly approvalPeriods?: number | undefined
    readonly infiniteApproval?: boolean | undefined
    readonly keepCoverage?: boolean | undefined
    readonly permit?: boolean | undefined
    readonly permitDeadline?: number | undefined
  },
): Promise<Findings<Preflight, Readiness> & { readonly details: Readiness }> {
  const { from, approvalPeriods = DEFAULT_APPROVAL_PERIODS } = input
  const { infiniteApproval = false, keepCoverage = false } = input
  // The account that subscribes is also the one that signs.
  const state = await chain.read.membershipState(named.id, from, from)
  expectTerms(named, state)
  const wish = { approvalPeriods, infiniteApproval, keepCoverage }
  const allowance = subscribeAllowance(state, chain.now, wish)
  // Mined after midnight, subscribing may take another amount. A warning says so where midnight is near.
  const { firstCharge: afterMidnight } = subscribeAllowance(state, midnightAfter(chain), wish)
  const effect = effectOf(state, allowance)
  const preflight = preflightOf(state, allowance, effect, chain.today)
  const { address } = state.token
  const permits = await loadPermits(input)
  const support = await permits?.readPermitSupport(chain, address, from)
  return {
    operation: 'subscribe',
    issues: subscribeIssues(state, from, allowance),
    warnings: [
      ...subscribeWarnings(chain, state, {
        from,
        wish,
        firstCharge: { today: allowance.firstCharge, after: afterMidnight },
        effect,
      }),
      // Also where the allowance stays as it is: a permit for less undoes what subscribing relies on.
      ...(await outstandingPermits(chain, from, state.token)),
    ],
    nativeBalance: state.nativeBalance,
    preflight,
    details: readinessOf(preflight),
    // Where a permit is asked for and the token takes one: what is signed in place of transactions.
    instead:
      permits &&
      support &&
      (() =>
        permits.offerPermit(chain, support, {
          token: address,
          owner: from,
          value: allowance.proposed,
          permitDeadline: input.permitDeadline,
          afterwards: 'Once it is carried, prepare subscribing again: then it needs no approval.',
        })),
    batches: () => subscribeBatches(chain, state, allowance),
  }
}

/** The next steps where an account is ready to subscribe. */
export function subscribeSteps(chain: ChainView, route: 'subscribe' | 'subscribe_by_id'): string[] {
  return [
    `Ask prepare_${route}${byRoute(`POST /prepare/${route}?chainId=${chain.chainId}`)} for the transactions with the same ` +
      'input, and sign them.',
  ]
}

/**
 * The calls, as alternatives with the shortest first: after one approval, or after a reset to 0 and an approval, which some
 * tokens need. The proof shows which one works.
 */
function subscribeBatches(
  chain: ChainView,
  { terms, token }: MembershipState,
  { current, needsApproval, proposed, shared }: SubscribeAllowance,
): PlannedCall[][] {
  const price = amountText(protocolQuantity(terms.amount, token), token)
  const subscribe = protocolCall(
    chain.contractAddress,
    'subscribe',
    [terms],
    `subscribe to ${terms.id} for ${price} a period`,
  )
  if (!needsApproval) return [[subscribe]]
  const approvals = approvalBatches({
    token: terms.token,
    spender: chain.contractAddress,
    current,
    proposed,
    sharedWithCount: shared.sharedWithCount,
    inWords: (amountRaw) => inWords(amountRaw, token),
  })
  return approvals.map((approval) => [...approval, subscribe])
}

/**
 * What subscribing does to the wallet's coverage; `null` where nothing will ever be charged. Where the wallet is subscribed
 * already, no other subscription changes.
 */
function effectOf(state: MembershipState, allowance: SubscribeAllowance): SubscribeEffect | null {
  const { terms, token, settings, wallet } = state
  if (terms.cancelled) return null
  const { callerFee, nextUncheckedDay } = settings
  const walk = { decimals: token.decimals, callerFee, nextUncheckedDay }
  if (state.isSubscribed) {
    const subscriptions = allowance.charged.map((charged) =>
      charged.id === terms.id ? { ...charged, feeBalance: state.feeBalance } : charged,
    )
    const covers = coverageOf({ ...walk, subscriptions, means: wallet })(terms.id)
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
  state: MembershipState,
  allowance: SubscribeAllowance,
  effect: SubscribeEffect | null,
  today: number,
): Preflight {
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
      ...allowance.shared,
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

/** The check says less than the preflight, in fields of its own. */
function readinessOf({ allowance, subscription, ...rest }: Preflight): Readiness {
  return {
    ...rest,
    token: subscription.token,
    allowance: allowance.current,
    requiredAmount: allowance.contractRequired,
    neededAllowance: allowance.needed,
    proposedAllowance: allowance.proposed,
    coversUntil: allowance.coversUntil,
  }
}
