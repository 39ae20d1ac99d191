import * as z from 'zod'
import type { ChainView } from '../../../ports/chains.ts'
import { toDay } from '../../../presentation/day.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import { Address as AddressSchema } from '../../../schema/address.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { CalendarDate, Day } from '../../../schema/numbers.ts'
import { TokenQuantity } from '../answer/prepareAnswer.ts'
import type { RemitFindings } from './remitFindings.ts'
import { stoppedDay } from './remitStop.ts'

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
