import type { Address } from 'viem'
import * as z from 'zod'
import type { BacklogState, TokenFacts } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'
import { Address as AddressSchema } from '../../schema/address.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { CalendarDate, Day } from '../../schema/numbers.ts'
import { toDay } from '../protocol/day.ts'
import { quantity, toToken } from '../tokens/token.ts'
import { TokenQuantity } from './prepareAnswer.ts'
import type { RemitFindings } from './remitFindings.ts'

/** Failing subscribers that an answer names; the days count all of them. */
const MOST_FAILING = 100

/** What is to be remitted: the readiness' details and the prepare's preflight alike. */
export const RemitReadiness = z
  .object({
    currentDay: Day,
    nextUncheckedDay: Day,
    days: z.array(
      z.object({
        ...Day.shape,
        subscriptions: z.int(),
        subscribers: z.int().describe('Counted once for each of their subscriptions.'),
        willPay: z.int(),
        willFail: z.int().describe('Dropped by this remit: allowance or balance below a full period.'),
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
            .describe(
              'Which of the two is short, the allowance where both are; null where it cannot be told.',
            ),
        }),
      )
      .describe(`Who will be dropped, in the contract’s order: the first ${MOST_FAILING}.`),
    expectedTransactions: z.int().describe('Calls of remit() until the backlog is cleared.'),
    maxRemits: z.int(),
    callerFees: z
      .array(TokenQuantity)
      .describe('What all of them together pay their caller, after the system’s part where that is on.'),
  })
  .meta({ id: 'RemitReadiness' })

export function toRemitReadiness(
  chain: ChainView,
  { backlog, outlook: { forecast } }: RemitFindings,
): z.output<typeof RemitReadiness> {
  const tokens = tokensOf(backlog)
  return {
    currentDay: toDay(chain.today),
    nextUncheckedDay: toDay(backlog.settings.nextUncheckedDay),
    days: forecast.days.map(({ dayNumber, subscriptions, subscribers, willPay, willFail }) => ({
      ...toDay(dayNumber),
      subscriptions,
      subscribers,
      willPay,
      willFail,
    })),
    failing: forecast.failing.slice(0, MOST_FAILING).map(({ id, subscriber, dayNumber, reason }) => ({
      subscriptionId: id,
      subscriber,
      date: toDay(dayNumber).date,
      reason: reason ?? null,
    })),
    expectedTransactions: forecast.expectedTransactions,
    maxRemits: backlog.settings.maxRemits,
    callerFees: forecast.callerFees.flatMap(({ token, amountRaw }) => {
      const facts = tokens.get(token)
      return facts === undefined ? [] : [{ token: toToken(facts), ...quantity(amountRaw, facts) }]
    }),
  }
}

/** The backlog's tokens by their checksummed address. */
export function tokensOf({ lists }: BacklogState): ReadonlyMap<Address, TokenFacts> {
  const entries = lists.flatMap((list) => list.entries)
  return new Map(entries.map(({ token }) => [token.address, token]))
}
