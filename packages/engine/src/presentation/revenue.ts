import { dayNumberOf } from '@remit/protocol/calendar'
import {
  type Figures,
  INTERVALS,
  type Interval,
  type IntervalRevenue,
  intervalsOf,
  revenueOf,
  type TokenRevenue,
} from '@remit/protocol/payments/revenue'
import { PARTS_PER_MONTH } from '@remit/protocol/perMonth'
import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import { ValidationError } from '../errors/input.ts'
import type { LastingToken } from '../ports/chainReads.ts'
import type { RevenueRows } from '../ports/history.ts'
import { Quantity, Token } from '../schema/amount.ts'
import { Address } from '../schema/hex.ts'
import { CalendarDate, Day, Uint256 } from '../schema/numbers.ts'
import { toDay as dayAnswer } from './day.ts'
import { amountText } from './subscriptionText.ts'
import { quantity, tokenWarnings, toToken } from './token.ts'
import { TokenCheck, tokenLogsWarnings, toTokenCheck } from './tokenLogs.ts'

// The answer of the service's revenue operations: its fields, and how it is made from the index's rows (`toRevenue`). Sums are by token
// and by interval (day, week, month). A fee balance is what a subscriber has prepaid for the callers of remit; MRR is monthly recurring
// revenue. `toDay` is the day after the last one here; what writes a day in an answer is `dayAnswer`.

/** How many intervals an answer may have: a year by days and some more. Each is a row of it and a group of the query. */
const MOST_INTERVALS = 400

/** What revenue is asked for. Check it with `rangeOf`. */
export const revenueFields = {
  from: CalendarDate.describe('The first day, in UTC, as YYYY-MM-DD.'),
  to: CalendarDate.describe('The day after the last one, in UTC, as YYYY-MM-DD.'),
  interval: z
    .enum(INTERVALS)
    .optional()
    .describe(
      `Calendar intervals in UTC, weeks from Monday; default month. The first and the last one are cut at from and to. ` +
        `At most ${MOST_INTERVALS}.`,
    ),
  token: Address.optional().describe('Only payments in this token.'),
}

/** Sums over one interval, or over all of them. */
const figures = {
  arrived: Quantity.describe('What came to the provider in all: received and feeBalancesReceived.'),
  charged: Quantity.describe('What left the subscribers: received and intoFeeBalances.'),
  received: Quantity.describe('What came to the provider from charges.'),
  intoFeeBalances: Quantity.describe(
    'What subscribers put into their fee balances, for the callers of remit.',
  ),
  feeBalancesReceived: Quantity.describe(
    'Fee balances of those who left or were dropped, which came to the provider.',
  ),
  refunds: Quantity.describe(
    'Fee balances that went back to subscribers: of those removed, and after a cancellation.',
  ),
  keptByCallers: Quantity.describe('Paid out of fee balances to the callers of remit.'),
  keptBySystem: Quantity.describe('Paid out of fee balances to the protocol.'),
  payments: z.int().min(0).describe('Charges that were paid, first charges included.'),
  failures: z.int().min(0).describe('Charges that failed. Each dropped its subscriber.'),
}

const memberChanges = {
  new: z.int().describe('Who subscribed, also again.'),
  left: z.int().describe('Who unsubscribed.'),
  removed: z.int().describe('Whom the provider removed.'),
  dropped: z.int().describe('Whom remit dropped because a charge failed.'),
  cancelled: z.int().describe('Members of subscriptions when the provider cancelled these.'),
}

const Churn = z.object({
  ended: z.int().describe('How many ended so.'),
  of: z
    .int()
    .min(0)
    .describe('Memberships that were active at some time of the interval: at its start, or begun within it.'),
})

const RevenueInterval = z
  .object({
    from: Day,
    to: Day.describe('The day after the last one.'),
    complete: z.boolean().describe('Whether the interval was over at the index’s block.'),
    ...figures,
    subscribers: z.object({ ...memberChanges, activeAtEnd: z.int().min(0) }),
    feeBalancesAtEnd: Quantity.describe(
      'What the contract holds at the end, or at the index’s block, of all that ever went into fee balances: intoFeeBalances ' +
        'without feeBalancesReceived, refunds, keptByCallers and keptBySystem, from the first payment on. It is the members’, ' +
        'but for what stays in the contract for good: of those who were dropped with no more than one fee, and fees that remit did not pay out.',
    ),
    mrrAtEnd: z
      .object({
        ...Quantity.shape,
        amount: Quantity.shape.amount.describe('Rounded down to the token’s smallest unit.'),
        numerator: Uint256.describe('The exact figure in the smallest unit: numerator / denominator.'),
        denominator: Uint256,
      })
      .describe(
        'Monthly recurring revenue: one full period of each active member of subscriptions that are not cancelled, per ' +
          'month. A week counts 20871/4800 times, a month once, a quarter a third, a year a twelfth. Fees are not taken off.',
      ),
    churn: z.object({
      voluntary: Churn.describe('Who left.'),
      involuntary: Churn.describe('Who was dropped.'),
    }),
  })
  .meta({ id: 'RevenueInterval' })

const TokenFigures = z
  .object({
    token: Token,
    tokenCheck: TokenCheck,
    total: z.object({ ...figures, subscribers: z.object(memberChanges) }),
    intervals: z.array(RevenueInterval),
  })
  .meta({ id: 'TokenRevenue' })

export const revenueAnswer = {
  from: Day,
  to: Day,
  interval: z.enum(INTERVALS),
  tokens: z
    .array(TokenFigures)
    .describe('One entry for each token of subscriptions that had members, payments or fee balances.'),
}

interface RevenueInput {
  readonly from: string
  readonly to: string
  readonly interval?: Interval | undefined
  readonly token?: ChecksummedAddress | undefined
}

/** The days and intervals that are asked for. Throws ValidationError that names the field. */
export function rangeOf({ from, to, interval = 'month', token }: RevenueInput) {
  const { fromDay, toDay } = daysOf({ from, to })
  const intervals = intervalsOf({ fromDay, toDay }, interval, MOST_INTERVALS)
  if (intervals.length > MOST_INTERVALS) {
    throw ValidationError.of(
      'to',
      `makes more than ${MOST_INTERVALS} intervals: ask for a shorter time or longer intervals`,
    )
  }
  return { fromDay, toDay, token, interval, intervals }
}

/** The days from `from` up to, and without, `to`. Throws ValidationError that names the field. */
export function daysOf({ from, to }: Pick<RevenueInput, 'from' | 'to'>) {
  const [fromDay, toDay] = [requireDay('from', from), requireDay('to', to)]
  if (toDay <= fromDay) throw ValidationError.of('to', 'must be after from: it is the day after the last one')
  return { fromDay, toDay }
}

function requireDay(field: 'from' | 'to', date: string): number {
  const day = dayNumberOf(date)
  if (day === undefined) throw ValidationError.of(field, 'must be a date that the calendar has, from 1970 on')
  return day
}

/** The tokens whose facts `toRevenue` needs: those of all subscriptions of the rows, each once. */
export function tokensOfRevenue({ terms }: RevenueRows): ChecksummedAddress[] {
  return [...new Set([...terms.values()].map(({ token }) => token))]
}

/**
 * The revenue answer.
 * @param tokens those of the subscriptions' tokens that the protocol has approved: it lets nobody create in another one
 * @param today the day of the index's block
 */
export function toRevenue(
  input: RevenueInput,
  rows: RevenueRows,
  tokens: ReadonlyMap<ChecksummedAddress, LastingToken>,
  today: number,
) {
  const { fromDay, toDay, interval, intervals } = rangeOf(input)
  const decimals = new Map([...tokens].map(([address, token]) => [address, token.decimals]))
  const revenue = revenueOf(rows, intervals, decimals)
  const logsOf = new Map(rows.tokenLogs.map((logs) => [logs.token, logs]))
  const found = revenue.flatMap((one) => {
    const [token, logs] = [tokens.get(one.token), logsOf.get(one.token)]
    return token === undefined || logs === undefined ? [] : [{ one, token, logs }]
  })
  return {
    from: dayAnswer(fromDay),
    to: dayAnswer(toDay),
    interval,
    tokens: found.map(({ one, token, logs }) => ({
      ...tokenRow(one, token, today),
      tokenCheck: toTokenCheck(logs),
    })),
    ...tokenWarnings([...tokens.values()], tokenLogsWarnings(rows.tokenLogs)),
  }
}

function tokenRow({ token: _, total, intervals }: TokenRevenue, token: LastingToken, today: number) {
  return {
    token: toToken(token),
    total: { ...figureRow(total, token), subscribers: memberChangesRow(total) },
    intervals: intervals.map((each) => intervalRow(each, token, today)),
  }
}

function intervalRow(
  { range, figures: sums, activeAtStart, activeAtEnd, feeBalancesAtEnd, mrrAtEnd }: IntervalRevenue,
  token: LastingToken,
  today: number,
) {
  return {
    from: dayAnswer(range.fromDay),
    to: dayAnswer(range.toDay),
    complete: range.toDay <= today,
    ...figureRow(sums, token),
    subscribers: { ...memberChangesRow(sums), activeAtEnd },
    feeBalancesAtEnd: quantity(feeBalancesAtEnd, token),
    mrrAtEnd: {
      ...quantity(mrrAtEnd / PARTS_PER_MONTH, token),
      numerator: mrrAtEnd,
      denominator: PARTS_PER_MONTH,
    },
    // Who joins and leaves within the interval is among those who left, and so among those who were there.
    churn: {
      voluntary: { ended: sums.left, of: activeAtStart + sums.joined },
      involuntary: { ended: sums.dropped, of: activeAtStart + sums.joined },
    },
  }
}

function figureRow(sums: Readonly<Figures>, token: LastingToken) {
  return {
    arrived: quantity(sums.received + sums.outOfFeeBalances, token),
    charged: quantity(sums.received + sums.intoFeeBalances, token),
    received: quantity(sums.received, token),
    intoFeeBalances: quantity(sums.intoFeeBalances, token),
    feeBalancesReceived: quantity(sums.outOfFeeBalances, token),
    refunds: quantity(sums.refunds, token),
    keptByCallers: quantity(sums.callerFees, token),
    keptBySystem: quantity(sums.systemShares, token),
    payments: sums.payments,
    failures: sums.failures,
  }
}

function memberChangesRow({ joined, left, removed, dropped, cancelled }: Readonly<Figures>) {
  return { new: joined, left, removed, dropped, cancelled }
}

const RevenueTokens = z.object(revenueAnswer)

/** The revenue in a few words: a line for each token. @param of whose it is */
export function revenueText(of: string, { from, to, tokens }: z.output<typeof RevenueTokens>): string {
  const lines = tokens.map(({ token, total, intervals }) => {
    const last = intervals.at(-1)
    const mrr =
      last === undefined
        ? ''
        : `, ${last.subscribers.activeAtEnd} active, MRR ${amountText(last.mrrAtEnd, token)}`
    return `- ${amountText(total.arrived, token)} came in: ${amountText(total.received, token)} received in ${total.payments} payments, ${amountText(total.feeBalancesReceived, token)} of fee balances, ${total.failures} failures${mrr}`
  })
  return [
    `Revenue of ${of} from ${from.date} to before ${to.date}:`,
    ...(lines.length === 0 ? ['- none'] : lines),
  ].join('\n')
}
