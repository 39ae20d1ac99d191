import { INFINITE_ALLOWANCE, neededAllowance } from '@remit/protocol/allowance'
import { dayNumberAt, nextDueDay } from '@remit/protocol/calendar'
import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { ChargedSubscription } from '@remit/protocol/charges/decideCharge'
import { isShortened, keptAllowance, type SubscribeEffect } from '@remit/protocol/coverage'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import { type Address, type Hex, maxUint256 } from 'viem'
import type { MembershipState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { isCharged, toCharged } from '../../../presentation/accountRow.ts'
import { isoTime, toDay } from '../../../presentation/day.ts'
import { toSharedWith } from '../../../presentation/sharedWith.ts'
import type { Issue, Warning } from '../../../schema/envelope.ts'
import { counted, inWords, quantityFact, tokenIssues } from '../answer/preconditions.ts'
import { dayEndsSoon, endsSoon, midnightAfter } from '../answer/prepareAnswer.ts'

// What `planSubscribe` finds out about subscribing: what prevents it (`subscribeIssues`), what to warn of (`subscribeWarnings`), and how
// much to approve (`subscribeAllowance`). Coverage: for how many charges a wallet's allowance and balance last.

/** Every precondition of subscribing that fails. */
export function subscribeIssues(
  state: MembershipState,
  from: Address,
  allowance: Pick<SubscribeAllowance, 'contractRequired'>,
): Issue[] {
  const { terms, token, wallet } = state
  const issues: Issue[] = [...tokenIssues(token)]
  if (terms.cancelled) {
    issues.push({
      code: 'SUBSCRIPTION_CANCELLED',
      message: 'The provider has cancelled this subscription; that cannot be undone.',
      id: terms.id,
    })
  }
  if (terms.provider === from) {
    issues.push({
      code: 'OWN_SUBSCRIPTION',
      message: `${from} is the provider of this subscription and cannot subscribe to it itself.`,
      provider: terms.provider,
    })
  }
  if (state.isSubscribed) {
    issues.push({
      code: 'ALREADY_SUBSCRIBED',
      message: `${from} is subscribed to this already.`,
      subscriber: from,
    })
  }
  if (state.isPaging) {
    issues.push({
      code: 'SUBSCRIPTION_PAGING',
      message:
        'A remit has stopped in the middle of this subscription; it can be subscribed to after the next remit() ' +
        'has finished the day.',
      id: terms.id,
    })
  }
  if (wallet.balance < allowance.contractRequired) {
    issues.push({
      code: 'INSUFFICIENT_BALANCE',
      message:
        `${from} holds ${inWords(wallet.balance, token)}; subscribing needs one full period of ` +
        `${inWords(allowance.contractRequired, token)} in the wallet, even where less is taken at first.`,
      balance: quantityFact(wallet.balance, token),
      required: quantityFact(allowance.contractRequired, token),
    })
  }
  return issues
}

type FirstCharge = SubscribeAllowance['firstCharge']

/** What an account should know before it subscribes, although it does not prevent subscribing. */
export function subscribeWarnings(
  chain: ChainView,
  state: MembershipState,
  found: {
    readonly from: Address
    readonly wish: { readonly keepCoverage: boolean; readonly infiniteApproval: boolean }
    /** What subscribing takes today, and what it takes after midnight. */
    readonly firstCharge: { readonly today: FirstCharge; readonly after: FirstCharge }
    readonly effect: SubscribeEffect | null
  },
): Warning[] {
  const { effect, firstCharge } = found
  return [
    ...backlogCharge(state, chain.today),
    ...afterMidnight(chain, state, firstCharge),
    ...(effect === null
      ? []
      : [
          ...balanceShort(state, effect, found.from),
          ...(found.wish.keepCoverage
            ? keepsLess(state, effect)
            : shortensCoverage(state, effect, found.wish.infiniteApproval)),
        ]),
  ]
}

/** Warns where the first remit after subscribing charges a full period at once: a due day of it is still unchecked. */
function backlogCharge(state: MembershipState, today: number): Warning[] {
  const { terms, token, settings } = state
  const day = nextDueDay(terms.frequency, terms.dueDay, settings.nextUncheckedDay)
  if (day === undefined || day > today) return []
  const due = toDay(day)
  return [
    {
      code: 'BACKLOG_CHARGE',
      message: `remit has not finished ${due.date} yet, on which this is due: the first remit after subscribing charges a full period at once.`,
      dueDay: due,
      token: token.address,
    },
  ]
}

/** Warns where midnight is near and subscribing takes another amount after it. */
function afterMidnight(
  chain: ChainView,
  state: MembershipState,
  { today, after }: { readonly today: FirstCharge; readonly after: FirstCharge },
): Warning[] {
  const { token } = state
  const chargesNow = backlogCharge(state, chain.today).length > 0
  const chargesThen = backlogCharge(state, chain.today + 1).length > 0
  const isSame = today.toFeeBalance === after.toFeeBalance && today.toProvider === after.toProvider
  if (!endsSoon(chain) || (isSame && chargesNow === chargesThen)) return []
  const words = ({ toFeeBalance, toProvider }: FirstCharge) =>
    `${inWords(toFeeBalance, token)} for fees and ${inWords(toProvider, token)} for the provider`
  const message =
    `This holds until ${isoTime(midnightAfter(chain))}. Mined after that, subscribing takes ${words(after)} at once; ` +
    `before it, ${words(today)}.`
  const backlog =
    chargesThen && !chargesNow ? ' After that, too, the next remit charges a full period at once.' : ''
  return [
    dayEndsSoon(chain, `${message}${backlog}`, {
      token: token.address,
      firstChargeAfter: {
        toFeeBalance: quantityFact(after.toFeeBalance, token),
        toProvider: quantityFact(after.toProvider, token),
      },
      backlogChargeAfter: chargesThen,
    }),
  ]
}

/** Warns about a charge that the wallet's balance cannot pay. */
function balanceShort(
  { terms, token, wallet }: MembershipState,
  { shortfall }: SubscribeEffect,
  from: Address,
): Warning[] {
  if (shortfall === null) return []
  const { needed, missing, failing } = shortfall
  const [by, through] = [toDay(shortfall.by), toDay(shortfall.through)]
  const whose = failing === terms.id ? 'this subscription' : `the wallet's subscription ${failing}`
  return [
    {
      code: 'BALANCE_SHORT',
      message:
        `${from} holds ${inWords(wallet.balance, token)}. Up to ${through.date} the first charge and the three ` +
        `after it, and what the wallet's other subscriptions in this token take, come to ${inWords(needed, token)}: ` +
        `${inWords(missing, token)} are missing. Without more money by ${by.date}, the charge of that day fails, ` +
        `and remit drops the wallet from ${whose} for good.`,
      token: token.address,
      balance: quantityFact(wallet.balance, token),
      needed: quantityFact(needed, token),
      missing: quantityFact(missing, token),
      by,
      through,
      failing,
    },
  ]
}

/** Warns where the allowance lasts less long for the wallet's other subscriptions, and says how to keep their dates. */
function shortensCoverage(
  { token }: MembershipState,
  { others }: SubscribeEffect,
  infiniteApproval: boolean,
): Warning[] {
  const shortened = others.filter(({ allowanceCovers }) => isShortened(allowanceCovers)).map(({ id }) => id)
  if (shortened.length === 0) return []
  // Both together are refused: an infinite approval keeps everything, but a sufficient allowance is not raised to it.
  const instead = infiniteApproval ? ' in place of infiniteApproval' : ''
  return [
    {
      code: 'SHORTENS_COVERAGE',
      message:
        `The allowance is shared: once this is subscribed to, it lasts less long for ` +
        `${counted(shortened.length, 'other subscription')} of the wallet (see alsoAffects). ` +
        `With keepCoverage: true${instead} the prepare approves what keeps their dates.`,
      token: token.address,
      subscriptions: shortened,
    },
  ]
}

/** Warns of the dates that keepCoverage cannot keep: those beyond its horizon, and those that the balance cuts short. */
function keepsLess({ token }: MembershipState, { others }: SubscribeEffect): Warning[] {
  const beyondHorizon = others
    .filter(({ allowanceCovers }) => isShortened(allowanceCovers))
    .map(({ id }) => id)
  const shortOfBalance = others.flatMap(({ id, covers }) =>
    isShortened(covers) && !beyondHorizon.includes(id) ? [id] : [],
  )
  const warningOf = (subscriptions: Hex[], message: string): Warning[] =>
    subscriptions.length === 0
      ? []
      : [{ code: 'SHORTENS_COVERAGE', message, token: token.address, subscriptions }]
  const ofThem = (ids: Hex[]) =>
    `${counted(ids.length, 'other subscription')} of the wallet (see alsoAffects)`
  return [
    ...warningOf(
      beyondHorizon,
      `Dates are kept for a hundred years ahead, and not beyond: after that, the allowance lasts less long for ` +
        `${ofThem(beyondHorizon)}.`,
    ),
    ...warningOf(
      shortOfBalance,
      `The allowance keeps the dates, and the balance does not: it is shared too, and ends sooner for ${ofThem(shortOfBalance)}. ` +
        'More money in the wallet keeps them.',
    ),
  ]
}

/** The allowance that subscribing needs, and the present one; raw units of the token. */
export interface SubscribeAllowance {
  readonly current: bigint
  /** One full period. The contract refuses less, even where it takes less. */
  readonly contractRequired: bigint
  /** What the charges that were asked for take, first charge and others' share included; with keepCoverage also what keeps others' dates. */
  readonly needed: bigint
  readonly needsApproval: boolean
  /** The allowance after the approval; the present one where it is enough. */
  readonly proposed: bigint
  /** Day of the last charge of this subscription that `needed` covers. */
  readonly coversUntil: number
  /** The other subscriptions that draw on it. */
  readonly shared: ReturnType<typeof toSharedWith>
  readonly firstCharge: {
    readonly toFeeBalance: bigint
    readonly toProvider: bigint
    readonly total: bigint
  }
  /** All subscriptions that remit will charge the wallet for in the token, with the new one, in remit's order. */
  readonly charged: readonly ChargedSubscription[]
}

/**
 * Calculates the approval with which no remit drops the wallet for its allowance before `approvalPeriods` charges of this subscription. An
 * allowance that is large enough is not changed, and no allowance is ever lowered.
 * @param timestamp when subscribing is mined, unix seconds: it decides on the first charge
 */
export function subscribeAllowance(
  state: MembershipState,
  timestamp: number,
  options: { approvalPeriods: number; infiniteApproval: boolean; keepCoverage: boolean },
): SubscribeAllowance {
  const { terms, token, settings, wallet } = state
  const { decimals } = token
  const { callerFee, nextUncheckedDay } = settings
  const split = firstCharge({ terms, timestamp, callerFee, nextUncheckedDay })
  const firstRaw = splitToRaw(split, decimals)
  const sharing = state.memberships.filter(
    (row) => isCharged(row) && row.token.address === token.address && row.terms.id !== terms.id,
  )
  const others = sharing.map(toCharged)
  const own = { ...terms, feeBalance: state.feeBalance + split.toFeeBalance }
  const charged = inRemitOrder([...others, own], state.dueOrder)
  const current = wallet.allowance
  const common = { decimals, nextUncheckedDay, firstChargeRaw: firstRaw.total }
  const {
    contractRequired,
    coversUntil,
    needed: forPeriods,
  } = neededAllowance({ ...common, subscription: terms, others, approvalPeriods: options.approvalPeriods })
  const needed = options.keepCoverage
    ? keptAllowance({
        ...common,
        subscriptions: charged,
        id: terms.id,
        callerFee,
        today: dayNumberAt(timestamp),
        allowance: current,
        least: forPeriods,
      })
    : forPeriods
  const needsApproval = current < needed && current < INFINITE_ALLOWANCE
  const proposed = needsApproval ? (options.infiniteApproval ? maxUint256 : needed) : current
  return {
    current,
    contractRequired,
    needed,
    needsApproval,
    proposed,
    coversUntil,
    shared: toSharedWith(sharing, state.dueOrder),
    firstCharge: firstRaw,
    charged,
  }
}
