import type { GetProviderOutlookAnswer, TokenQuantity, TokenRevenue } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { civilDate, dateOf, dayNumberOf } from '@remit/protocol/calendar'

/** A month of the desk's chart, in one token. Amounts are exact. */
export interface MoneyMonth {
  /** Its first day, as a day number and as "2026-12-01". */
  readonly dayNumber: number
  readonly date: string
  /** `undefined` for a month to come. */
  readonly past: TokenRevenue['intervals'][number] | undefined
  /** What came in. */
  readonly came: Sum
  /** What will come in as things stand. */
  readonly comes: Sum
  /** Whole payments that fail as things stand. */
  readonly missed: Sum
}

interface Sum {
  /** In the token's smallest unit. */
  readonly raw: bigint
  readonly amount: string
}

/**
 * The months of a token: those that have been, the present one with what it still brings, and those after it that the
 * outlook covers to their end.
 */
export function moneyMonths(
  { token, intervals }: Pick<TokenRevenue, 'token' | 'intervals'>,
  outlook: Pick<GetProviderOutlookAnswer, 'income' | 'through'> | undefined,
): MoneyMonth[] {
  const sum = (raw: bigint): Sum => ({ raw, amount: formatHuman(raw, token.decimals) })
  const days = (outlook?.income.days ?? []).filter((day) => day.token.address === token.address)
  const ahead = (from: number, to: number, read: (day: (typeof days)[number]) => TokenQuantityLike) =>
    sum(
      days
        .filter(({ dayNumber }) => dayNumber >= from && dayNumber < to)
        .reduce((total, day) => total + read(day).amountRaw, 0n),
    )
  const monthOf = (from: number, start: number, past: MoneyMonth['past']): MoneyMonth => {
    const to = nextMonth(from)
    return {
      dayNumber: from,
      date: dateOf(from),
      past,
      came: sum(past?.arrived.amountRaw ?? 0n),
      comes: ahead(start, to, ({ income }) => income),
      missed: ahead(start, to, ({ missed }) => missed),
    }
  }
  const shown = intervals.slice(firstShown(intervals))
  const months = shown.map((past, index) => {
    const isPresent = index === shown.length - 1
    // The present month gets all expected days up to its end, the overdue ones too; months that are over get none.
    return monthOf(past.from.dayNumber, isPresent ? 0 : Number.POSITIVE_INFINITY, past)
  })
  const last = intervals.at(-1)
  if (last === undefined || outlook === undefined) return months
  for (
    let from = nextMonth(last.from.dayNumber);
    nextMonth(from) <= outlook.through.dayNumber + 1;
    from = nextMonth(from)
  ) {
    months.push(monthOf(from, from, undefined))
  }
  return months
}

/** Months before the first member are left out, but a chart of fewer bars than this says little. */
const LEAST_MONTHS = 6

function firstShown(intervals: TokenRevenue['intervals']): number {
  const first = intervals.findIndex(
    ({ arrived, subscribers }) => arrived.amountRaw > 0n || subscribers.new + subscribers.activeAtEnd > 0,
  )
  return Math.max(0, Math.min(first, intervals.length - LEAST_MONTHS))
}

type TokenQuantityLike = Pick<TokenQuantity, 'amountRaw'>

/** The first day of the month after the one that a day is in. */
function nextMonth(dayNumber: number): number {
  const { year, month } = civilDate(dayNumber)
  const [nextYear, next] = month === 12 ? [year + 1, 1] : [year, month + 1]
  return dayNumberOf(`${nextYear}-${String(next).padStart(2, '0')}-01`) ?? Number.POSITIVE_INFINITY
}
