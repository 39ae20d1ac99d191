import type { Address } from 'viem'
import * as z from 'zod'
import type { BacklogState, TokenFacts } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import { forecastRemit, type RemitForecast } from '../../protocol/remitForecast.ts'
import type { Issue, Warning } from '../../schema/answer.ts'
import { Day } from '../../schema/numbers.ts'
import { toDay } from '../protocol/day.ts'
import { quantity, toToken } from '../tokens/token.ts'
import { TokenQuantity } from './prepareAnswer.ts'

/** What is to be remitted: the readiness' details and the prepare's preflight alike. */
export const RemitReadiness = z.object({
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
  expectedTransactions: z.int().describe('Calls of remit() until the backlog is cleared.'),
  maxRemits: z.int(),
  callerFees: z
    .array(TokenQuantity)
    .describe('What all of them together earn their caller, before the system’s part where that is on.'),
})

/**
 * What remit would do from this block on, as the protocol's rules have it.
 *
 * Throws ViewFailedError while subscribers that remit will meet cannot be named: counts without them would be
 * wrong.
 */
export function remitForecast(chain: ChainView, caller: Address, backlog: BacklogState): RemitForecast {
  const { settings, lists, wallets } = backlog
  const hiding = lists
    .flatMap(({ entries }) => entries)
    .find(({ hiddenSubscribers }) => hiddenSubscribers > 0)
  if (hiding !== undefined) {
    throw new ViewFailedError(
      'getSubscribersById',
      `The contract cannot tell who subscribes to ${hiding.terms.id} until the next remit() has finished its day.`,
    )
  }
  return forecastRemit({
    currentDay: chain.today,
    nextUncheckedDay: settings.nextUncheckedDay,
    maxRemits: settings.maxRemits,
    callerFee: settings.callerFee,
    // Whether the system takes its part has no getter; `callerFees` says that it is not deducted.
    systemFee: undefined,
    lists: lists.map(({ frequency, dueDay, entries }) => ({
      frequency,
      dueDay,
      entries: entries.map(({ terms, token, subscribers, listedCount, setSize }) => ({
        terms,
        paused: token.paused,
        decimals: token.decimals,
        listedCount,
        setSize,
        subscribers: subscribers.map(({ subscriber, feeBalance }) => ({ address: subscriber, feeBalance })),
      })),
    })),
    funds: wallets,
    accounts: { contract: chain.contractAddress, caller },
  })
}

export function toRemitReadiness(
  chain: ChainView,
  backlog: BacklogState,
  forecast: RemitForecast,
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
    expectedTransactions: forecast.expectedTransactions,
    maxRemits: backlog.settings.maxRemits,
    callerFees: forecast.callerFees.flatMap(({ token, amountRaw }) => {
      const facts = tokens.get(token)
      return facts === undefined ? [] : [{ token: toToken(facts), ...quantity(amountRaw, facts) }]
    }),
  }
}

function tokensOf({ lists }: BacklogState): ReadonlyMap<Address, TokenFacts> {
  const entries = lists.flatMap((list) => list.entries)
  return new Map(entries.map(({ token }) => [token.address, token]))
}

/** What stands against a remit now. */
export function remitIssues(chain: ChainView, backlog: BacklogState, forecast: RemitForecast): Issue[] {
  const next = toDay(backlog.settings.nextUncheckedDay)
  if (next.dayNumber > chain.today) {
    const message = `remit has checked every day up to today; the next one can be remitted from ${next.date} on.`
    return [{ code: 'REMIT_NOT_DUE', message, nextUncheckedDay: next }]
  }
  if (forecast.stalled !== undefined && forecast.expectedTransactions === 0) {
    const day = toDay(forecast.stalled.dayNumber)
    const message =
      `remit cannot get past ${day.date} (${forecast.stalled.reason}); the protocol's admin can, ` +
      'with setNextUncheckedDay or changeMaxRemits.'
    return [{ code: 'REMIT_STALLED', message, day, reason: forecast.stalled.reason }]
  }
  if (forecast.expectedTransactions === 0) {
    const message = 'Nothing is due up to today: every unchecked day is empty, and remit would revert.'
    return [{ code: 'NOTHING_DUE', message, nextUncheckedDay: next }]
  }
  return []
}

export function remitWarnings({ expectedTransactions }: RemitForecast): Warning[] {
  if (expectedTransactions <= 1) return []
  return [
    {
      code: 'REMIT_NEEDS_MORE_TRANSACTIONS',
      message:
        `The backlog takes ${expectedTransactions} calls of remit(): one clears at most one day that has ` +
        'anything due, and at most maxRemits subscribers. Prepare again after each.',
      expectedTransactions,
    },
  ]
}
