import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError } from '@remit/engine/errors/chain'
import { MembershipNotFoundError } from '@remit/engine/errors/history'
import { ProofUnavailableError, ProofUnsupportedError } from '@remit/engine/errors/inclusion'
import type { MembershipState } from '@remit/engine/ports/chainReads'
import type { MemberRecord } from '@remit/engine/ports/history'
import { isCharged, toCharged } from '@remit/engine/presentation/accountRow'
import { toDay, toDayOrNull } from '@remit/engine/presentation/day'
import { membershipLife } from '@remit/engine/presentation/membership'
import { DropReason, logPlaceFields, toLogPlace } from '@remit/engine/presentation/payment'
import { dayText } from '@remit/engine/presentation/subscriptionText'
import { quantity, tokenWarnings, toToken } from '@remit/engine/presentation/token'
import { Quantity, Token } from '@remit/engine/schema/amount'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { Day } from '@remit/engine/schema/numbers'
import { nextDueDay } from '@remit/protocol/calendar'
import { ChargeSchedule, inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { ChargeVerdict } from '@remit/protocol/charges/decideCharge'
import { isEntitled, MEMBER_STATES, paidThrough } from '@remit/protocol/entitlement'
import type { Hex } from 'viem'
import * as z from 'zod'
import { MembershipProof } from '../inclusion/proofAnswers.ts'
import { proveMembership } from '../inclusion/prove.ts'

/** The longest period, a year. With more days of grace the answer would no longer say that somebody has paid for the present period. */
const MOST_GRACE_DAYS = 366

/**
 * Whether somebody has paid: what a provider's server asks at sign-in.
 *
 * The index has the membership's past: when it began, the last payment, what ended it (`record`). The chain, at the answer's block, has
 * the terms and what the account holds (`standing`): by both, the state and the next charge are decided.
 */
export const getMembership = defineOperation({
  name: 'get_membership',
  effect: 'read',
  kind: 'chain',
  summary: 'Whether an account has paid for a subscription, until when, and whether its next charge will pay',
  description:
    'An active member is entitled, also while remit is behind. Whoever left, was removed or whose provider cancelled is ' +
    'entitled through `paidThrough` and `graceDays` more. Whoever was dropped is not. `index.synced` says whether the index ' +
    'has seen everything. With `proof` the answer holds what anybody can check against the hash of the block.',
  access: 'provable',
  rest: { method: 'GET', path: '/subscriptions/:id/subscribers/:address' },
  tool: {
    profiles: ['read', 'subscriber', 'provider'],
    text: ({ subscriber, subscriptionId, state, entitled, paidThrough: last }) =>
      `${subscriber} is ${entitled ? '' : 'not '}entitled to ${subscriptionId}: ${state}, paid through ${dayText(last)}.`,
  },
  errors: [SubscriptionNotFoundError, MembershipNotFoundError, ProofUnsupportedError, ProofUnavailableError],
  input: z.object({
    id: SubscriptionId,
    address: Address.describe('The subscriber.'),
    graceDays: z
      .int()
      .min(0)
      .max(MOST_GRACE_DAYS)
      .optional()
      .describe(
        'Days after paidThrough on which one who left is still entitled; default 0. Not for the dropped.',
      ),
    proof: z.boolean().optional().describe('Whether to answer the proof too, which takes expensive units.'),
  }),
  output: z.object({
    subscriptionId: SubscriptionId,
    subscriber: Address,
    token: Token,
    state: z.enum(MEMBER_STATES),
    entitled: z.boolean(),
    since: z
      .object(logPlaceFields)
      .describe('When the state began: the subscribing, or what ended the membership.'),
    subscribedAt: z.object(logPlaceFields).describe('When the account subscribed last.'),
    paidThrough: Day.nullable().describe('The last day that is paid for; null after the year 9999.'),
    lastPayment: z.object({
      ...logPlaceFields,
      day: Day.describe('The due day that it was for, or the day of subscribing.'),
      charged: Quantity,
    }),
    nextCharge: z
      .object({
        day: Day.describe('The due day. Where remit is behind, the charge itself comes later.'),
        outcome: z
          .enum(['pays', 'fails', 'paused'])
          .describe(
            'By what the account holds and allows now, after its earlier charges in the token: pays, fails (remit then drops ' +
              'it), or paused: the token is, and remit passes over it. Remit may also pass over the rest of a day that takes ' +
              'several of its calls, which the account’s outlook tells.',
          ),
        missing: z
          .object({ allowance: Quantity, balance: Quantity })
          .nullable()
          .describe('What is missing where it fails.'),
      })
      .nullable()
      .describe('null where nothing is charged any more.'),
    dropReason: DropReason.nullable().describe('null unless it was dropped.'),
    proof: MembershipProof.optional().describe(
      'Where it was asked for: whether it is a member at the block.',
    ),
  }),
  query: ({ input, history }) => history.member(input.id, input.address),
  async atBlock({ input, chain, rows: record }) {
    // The chain decides whether the subscription exists, not the index.
    const standing = await chain.read.membershipState(input.id, input.address, input.address)
    if (record === undefined) throw new MembershipNotFoundError(input.id, input.address)
    const { token, terms } = standing
    const { joined, lastPayment, ended } = record
    const life = membershipLife(record, standing)
    const { state } = life
    const last = paidThrough(life)
    const { today } = chain
    const graceDays = input.graceDays ?? 0
    const proof = input.proof ? await proveMembership(chain, standing, input.address) : undefined
    return {
      ...(proof && { proof }),
      subscriptionId: terms.id,
      subscriber: input.address,
      token: toToken(token),
      state,
      entitled: isEntitled({ state, paidThrough: last }, { today, graceDays }),
      since: toLogPlace(ended ?? joined),
      subscribedAt: toLogPlace(joined),
      paidThrough: toDayOrNull(last ?? undefined),
      lastPayment: {
        ...toLogPlace(lastPayment),
        day: toDay(lastPayment.dayNumber),
        charged: quantity(lastPayment.toProvider + lastPayment.toFeeBalance, token),
      },
      nextCharge: state === 'active' ? nextCharge(standing, record) : null,
      dropReason: ended?.dropReason ?? null,
      ...tokenWarnings([token]),
    }
  },
})

/** What the schedule answers for a charge of a day in progress that remit has made already: it is not made again. */
const MADE = { kind: 'skipped' } as const

/**
 * The next charge, as remit will make it with what the account has now; `null` where no due day is left. All of the account's charges in
 * the same token take from the same money, so they are gone through in remit's order up to this one.
 */
function nextCharge(standing: MembershipState, { brokenDay }: MemberRecord) {
  const { terms, token, wallet, memberships, dueOrder, settings } = standing
  const { nextUncheckedDay } = settings
  // A day of remit may take several calls, of which only some were made. `made`: what these have charged, and later ones of the day skip.
  const made = new Set(brokenDay?.dayNumber === nextUncheckedDay ? brokenDay.charged : [])
  const isPaid = made.has(terms.id)
  const day = nextDueDay(terms.frequency, terms.dueDay, isPaid ? nextUncheckedDay + 1 : nextUncheckedDay)
  if (day === undefined) return null
  if (token.paused) return { day: toDay(day), outcome: 'paused' as const, missing: null }
  const sharing = memberships
    .filter(isCharged)
    .filter((row) => row.terms.token === terms.token && !row.token.paused)
    .map((row) => ({ ...toCharged(row), id: row.terms.id }))
  const subscriptions = inRemitOrder(sharing, dueOrder)
  // The order in which remit goes through a day: by frequency, then by due list. The schedule ignores what is not due then.
  const dayOrder = subscriptions.toSorted((one, other) => one.frequency - other.frequency)
  const charges = dayOrder.flatMap(({ id }) => (made.has(id) ? [] : [{ id, hasFailed: false }]))
  const schedule = new ChargeSchedule<typeof MADE>({
    subscriptions,
    decimals: token.decimals,
    callerFee: settings.callerFee,
    means: { allowance: wallet.allowance, balance: wallet.balance },
    nextUncheckedDay,
    remitOn: (dayNumber) =>
      made.size > 0 && dayNumber === nextUncheckedDay ? { charges, others: MADE } : undefined,
  })
  const verdict = verdictOn(schedule, terms.id, day)
  if (verdict === undefined) return null
  const missing = verdict.kind === 'fails' ? verdict.missing : null
  return {
    day: toDay(day),
    outcome: verdict.kind,
    missing: missing && {
      allowance: quantity(missing.allowance, token),
      balance: quantity(missing.balance, token),
    },
  }
}

/** What becomes of a subscription's charge on a day, after the charges before it have taken their money; `undefined` where it has none. */
function verdictOn(schedule: ChargeSchedule<typeof MADE>, id: Hex, day: number): ChargeVerdict | undefined {
  for (const { id: charged, dayNumber, verdict } of schedule.through(day)) {
    if (charged === id && dayNumber === day && verdict.kind !== 'skipped') return verdict
  }
  return undefined
}
