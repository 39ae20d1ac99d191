import type { RemitGap } from '@remit/protocol/remit/replayProbe'
import * as z from 'zod'
import type { ChainView } from '../../../ports/chains.ts'
import { toDay } from '../../../presentation/day.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import type { Issue, Warning } from '../../../schema/envelope.ts'
import { Address as AddressSchema, SubscriptionId } from '../../../schema/hex.ts'
import { CalendarDate, Day } from '../../../schema/numbers.ts'
import { counted } from '../answer/preconditions.ts'
import { TokenQuantity } from '../answer/prepareAnswer.ts'
import type { RemitFindings } from './remitFindings.ts'
import { stopIssues, stoppedDay } from './remitStop.ts'

// The answer about remit, made of `RemitFindings`: the forecast (`RemitReadiness`), what prevents a remit now (`remitIssues`), and what
// to know although one can succeed (`remitWarnings`). "Tried": simulated at this block. "Reckoned": calculated by the protocol's rules.
// A gap is something that the forecast could not find out; `RemitGap` in protocol lists them, GAPS below says each in words.

/** The most failing subscribers that an answer names. The counts of the days include all of them. */
const MOST_FAILING = 100

/** The forecast in the answer: the details of the readiness check, and the preflight of the prepare. */
export const RemitReadiness = z
  .object({
    currentDay: Day,
    nextUncheckedDay: Day,
    days: z.array(
      z.object({
        ...Day.shape,
        subscriptions: z.int(),
        subscribers: z.int().describe('Each counts once for each subscription.'),
        willPay: z.int(),
        willFail: z.int().describe('Dropped by this remit: allowance or balance below a full period.'),
        transactions: z.int().describe('Calls of remit() that the day takes.'),
        state: z
          .enum(['tried', 'reckoned', 'blocked'])
          .describe(
            'tried: its calls were tried at this block, as remit() or transfer by transfer. reckoned: calculated ' +
              'by the protocol’s rules alone. blocked: no call gets past this day; an issue or a warning says why, ' +
              'and only what goes through before counts.',
          ),
      }),
    ),
    failing: z
      .array(
        z.object({
          subscriptionId: SubscriptionId,
          subscriber: AddressSchema,
          date: CalendarDate,
          reason: z
            .enum(['allowance', 'balance'])
            .nullable()
            .describe('Which is short: the allowance where both are; null where it is unknown.'),
        }),
      )
      .describe(`Who will be dropped, in the contract’s order: the first ${MOST_FAILING}.`),
    expectedTransactions: z
      .int()
      .describe(
        'Calls of remit() until the backlog is cleared, or until the day that is blocked. With the warning FORECAST_CUT, those after `seen.calls` are only calculated; where its reason is ' +
          'unknown, this is a minimum.',
      ),
    seen: z
      .object({
        calls: z
          .int()
          .describe('How many of expectedTransactions were tried at this block, from the first on.'),
        through: Day.nullable().describe(
          'The last day up to which everything was tried: today if nothing is left untried, the day before a ' +
            'blocked one, null if the first unchecked day was not tried in full.',
        ),
      })
      .describe('How far the forecast has seen.'),
    maxRemits: z.int(),
    callerFees: z
      .array(TokenQuantity)
      .describe('What all calls together pay their caller, less the system’s part where that is on.'),
  })
  .meta({ id: 'RemitReadiness' })

export function toRemitReadiness(chain: ChainView, findings: RemitFindings): z.output<typeof RemitReadiness> {
  const { backlog, probed, tokens } = findings
  const { forecast } = probed
  return {
    currentDay: toDay(chain.today),
    nextUncheckedDay: toDay(backlog.settings.nextUncheckedDay),
    days: daysOf(findings),
    failing: forecast.failing.slice(0, MOST_FAILING).map(({ id, subscriber, dayNumber, reason }) => ({
      subscriptionId: id,
      subscriber,
      date: toDay(dayNumber).date,
      reason: reason ?? null,
    })),
    expectedTransactions: forecast.expectedTransactions,
    seen: remitSight(chain, findings),
    maxRemits: backlog.settings.maxRemits,
    callerFees: forecast.callerFees.flatMap(({ token, amountRaw }) => {
      const facts = tokens.get(token)
      return facts === undefined ? [] : [{ token: toToken(facts), ...quantity(amountRaw, facts) }]
    }),
  }
}

/** The unchecked days with what is charged on them; empty where who is charged is unknown. The day on which remit stops is always there. */
function daysOf({ probed, triedCalls, stop }: RemitFindings): z.output<typeof RemitReadiness>['days'] {
  const { forecast, steps, gaps } = probed
  if (gaps.includes('days')) return []
  const untried = new Set(steps.slice(triedCalls).map(({ dayNumber }) => dayNumber))
  const blocked = stop === undefined ? undefined : stoppedDay(stop)
  const days = forecast.days.map(({ dayNumber, ...counts }) => {
    const state = dayNumber === blocked ? 'blocked' : untried.has(dayNumber) ? 'reckoned' : 'tried'
    return { ...toDay(dayNumber), ...counts, state } as const
  })
  if (blocked === undefined || days.some(({ dayNumber }) => dayNumber === blocked)) return days
  const nothing = { subscriptions: 0, subscribers: 0, willPay: 0, willFail: 0, transactions: 0 }
  return [...days, { ...toDay(blocked), ...nothing, state: 'blocked' }]
}

/** How far a forecast was simulated. */
interface RemitSight {
  readonly calls: number
  /** `null` where not even the first unchecked day was simulated completely. */
  readonly through: z.output<typeof Day> | null
}

/** How many calls were tried, and the last day up to which everything was tried. */
export function remitSight(
  chain: ChainView,
  { backlog, probed, triedCalls, stop }: RemitFindings,
): RemitSight {
  const first = backlog.settings.nextUncheckedDay
  const { steps, gaps } = probed
  const isWhole = triedCalls === steps.length && !gaps.includes('unseen') && !gaps.includes('unprobed')
  const nextDay = steps[triedCalls - 1]?.nextUncheckedDay ?? first
  const whole = stop === undefined ? chain.today : stoppedDay(stop) - 1
  const last = isWhole ? whole : nextDay - 1
  return { calls: triedCalls, through: last < first && first <= chain.today ? null : toDay(last) }
}

/** What prevents a remit now: nothing to do, or what stops its first call. Empty where one call at least succeeds. */
export function remitIssues(chain: ChainView, { backlog, probed, stop }: RemitFindings): Issue[] {
  const { settings } = backlog
  const next = toDay(settings.nextUncheckedDay)
  if (next.dayNumber > chain.today) {
    const message = `remit has checked every day up to today; the next one can be remitted from ${next.date} on.`
    return [{ code: 'REMIT_NOT_DUE', message, nextUncheckedDay: next }]
  }
  if (probed.forecast.expectedTransactions > 0) return []
  if (stop !== undefined) return stopIssues(stop, settings.maxRemits)
  const message = 'Nothing is due up to today: every unchecked day is empty, and remit would revert.'
  return [{ code: 'NOTHING_DUE', message, nextUncheckedDay: next }]
}

/** Warnings for a caller whose remit can succeed. */
export function remitWarnings(chain: ChainView, findings: RemitFindings): Warning[] {
  const { probed } = findings
  if (probed.forecast.expectedTransactions === 0) return []
  const { gaps, seenCalls } = probed
  return [
    ...manyCalls(findings),
    ...gaps.flatMap((gap): Warning[] =>
      gap === 'unseen'
        ? []
        : [{ code: 'SIMULATION_PARTIAL', message: GAPS[gap], gap, seenCalls, ...whyOf(findings) }],
    ),
    ...cutWarnings(chain, findings),
    ...laterStops(findings),
  ]
}

const ONE_CALL =
  'one clears at most one day that has anything due, and at most maxRemits subscribers. Prepare again after each.'

/** Warns where one call does not clear the backlog. */
function manyCalls({ probed, triedCalls, stop }: RemitFindings): Warning[] {
  const { expectedTransactions } = probed.forecast
  if (expectedTransactions === 1) return []
  return [
    { code: 'REMIT_NEEDS_MORE_TRANSACTIONS', message: `${sentence()}: ${ONE_CALL}`, expectedTransactions },
  ]

  function sentence(): string {
    const calls = `${expectedTransactions} calls of remit()`
    if (stop !== undefined) return `${calls} go through before it stops`
    if (probed.gaps.includes('unseen')) return `The backlog takes at least ${calls}`
    if (triedCalls === expectedTransactions) return `The backlog takes ${calls}`
    return `By the protocol’s rules the backlog takes ${calls}, of which the first ${triedCalls} were tried`
  }
}

/** Why the node shows no more, if it says so. */
function whyOf({ cut }: RemitFindings): { why?: string } {
  return cut === undefined ? {} : { why: cut }
}

/** Says how far the forecast was simulated, where that is not to the end. */
function cutWarnings(chain: ChainView, findings: RemitFindings): Warning[] {
  const { probed, triedCalls } = findings
  const { expectedTransactions } = probed.forecast
  const isUnknown = probed.gaps.includes('unseen')
  if (!isUnknown && triedCalls === expectedTransactions) return []
  const seen = remitSight(chain, findings)
  const tried = `The forecast has tried ${counted(triedCalls, 'call')} of remit()${because(findings)}`
  const message = isUnknown
    ? `${tried}, and what follows cannot be reckoned: days, fees and expectedTransactions are the least that it takes.`
    : `${tried}, and counts ${expectedTransactions - triedCalls} more by the protocol’s rules alone: a token that ` +
      'refuses a transfer among them, or a call that takes too much gas, stops remit there. Ask again later on.'
  return [
    { code: 'FORECAST_CUT', message, reason: isUnknown ? 'unknown' : 'budget', seen, ...whyOf(findings) },
  ]
}

function because({ backlog, cut }: RemitFindings): string {
  if (cut !== undefined) return ', since the node simulates no more gas at once'
  return backlog.isRead ? '' : ', since more is due than can be read at a block'
}

/** What stops remit after some calls that succeed, as the precondition that will fail then. */
function laterStops({ probed, stop, backlog }: RemitFindings): Warning[] {
  if (stop === undefined) return []
  const afterCalls = probed.forecast.expectedTransactions
  return stopIssues(stop, backlog.settings.maxRemits).map(({ code, message, ...facts }) => ({
    ...facts,
    code,
    message: `After ${counted(afterCalls, 'call')} remit stops, and what follows is not counted. ${message}`,
    afterCalls,
  }))
}

/** What each gap means for the answer. `unseen` has the warning FORECAST_CUT instead. */
const GAPS: Readonly<Record<Exclude<RemitGap, 'unseen'>, string>> = {
  unprobed:
    'The node cannot simulate remit: where a page broke off and whether the system takes its part of the fees ' +
    'are not known, so counts may differ within the first day and fees may be lower.',
  counted:
    'The node cannot show what a simulated remit logs: who is charged on the first day is inferred from what the ' +
    'calls pay. Their number and the fees were seen.',
  days:
    'The node cannot show what a simulated remit logs, and who is charged cannot be inferred: `days` and `failing` ' +
    'are left empty. The number of calls was seen.',
  callerFees:
    'The caller itself may pay or be paid by these calls, and what it gained is then not its fee: `callerFees` is ' +
    'left empty.',
  systemFee:
    'Whether the system takes its part of the fees is not known, since no fee was paid in what was simulated: ' +
    'callerFees may be lower.',
  tokenFees:
    'A token pays its receiver other amounts than the contract sends. What was simulated counts them as received; ' +
    'callerFees of the calls behind it are counted as sent.',
}
