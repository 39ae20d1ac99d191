/** What a provider has received, per token and calendar interval, from the sums that the index keeps for each day. */

import type { Address, Hex } from 'viem'
import { civilDate, daysInMonth } from '../calendar.ts'
import { type MonthlyParts, monthlyParts } from '../perMonth.ts'
import type { SubscriptionTerms } from '../subscription.ts'

/** The calendar intervals that revenue can be divided into. */
export const INTERVALS = ['day', 'week', 'month'] as const

export type Interval = (typeof INTERVALS)[number]

/** Days from `fromDay` up to, and without, `toDay`. */
interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/**
 * Divides days into calendar intervals, in UTC. Weeks begin on Monday. The first and the last one can be a part of theirs.
 * @param most the caller's limit. Where there are more, one more than that is returned, which shows it
 */
export function intervalsOf({ fromDay, toDay }: DayRange, interval: Interval, most: number): DayRange[] {
  const ranges: DayRange[] = []
  for (let day = fromDay; day < toDay && ranges.length <= most; ) {
    const next = Math.min(toDay, nextBegin(day, interval))
    ranges.push({ fromDay: day, toDay: next })
    day = next
  }
  return ranges
}

function nextBegin(day: number, interval: Interval): number {
  switch (interval) {
    case 'day':
      return day + 1
    case 'week':
      // Day 0 was a Thursday.
      return day + 7 - ((day + 3) % 7)
    case 'month': {
      const { year, month, day: dayOfMonth } = civilDate(day)
      return day + daysInMonth(year, month) - dayOfMonth + 1
    }
  }
}

/** What payments add up to. Amounts are in the token's smallest unit. From `joined` on, members; cancelled: those whose subscription was. */
export interface Figures {
  /** What went from the subscribers to the provider. */
  received: bigint
  /** What went from the subscribers into their fee balances. */
  intoFeeBalances: bigint
  /** What went to the provider out of the fee balances of those who left or were dropped. */
  outOfFeeBalances: bigint
  /** What went back to subscribers out of their fee balances. */
  refunds: bigint
  callerFees: bigint
  systemShares: bigint
  payments: number
  failures: number
  joined: number
  left: number
  removed: number
  dropped: number
  cancelled: number
}

/** One subscription's payments of one UTC day. */
export interface DayFigures extends Readonly<Figures> {
  readonly subscriptionId: Hex
  readonly day: number
}

export interface IntervalRevenue {
  readonly range: DayRange
  readonly figures: Readonly<Figures>
  readonly activeAtStart: number
  readonly activeAtEnd: number
  /** What the contract holds at the end of what has filled fee balances (see Before.feeBalances). */
  readonly feeBalancesAtEnd: bigint
  /** What the active members at the end pay per month, as an exact fraction (see MonthlyParts). */
  readonly mrrAtEnd: MonthlyParts
}

export interface TokenRevenue {
  readonly token: Address
  readonly total: Readonly<Figures>
  readonly intervals: readonly IntervalRevenue[]
}

/** Where a subscription stands before the first interval. */
export interface Before {
  readonly members: number
  /**
   * What the contract holds of what has filled fee balances, in the token's smallest unit: all that went in without all that came out.
   *
   * These are the fee balances of the members, rounded down, and what nobody gets any more: the fee balances of those dropped with no
   * more than one fee in it, and fees of a page of remit that ended on somebody who had left. A clean-up that names another token pays
   * in that one: what it should have given back stays in the sum.
   */
  readonly feeBalances: bigint
}

type Terms = Pick<SubscriptionTerms, 'amount' | 'frequency' | 'token'>

/**
 * Adds payments up by token and interval.
 *
 * Monthly recurring revenue counts one full period of each active member of a subscription that is not cancelled, per
 * month: a weekly one 20871/4800 times (the weeks of a month), a quarterly one by a third and a yearly one by a twelfth.
 *
 * @param days of subscriptions whose terms are given
 * @param decimals of the contract's entry, by token. Tokens without are left out
 */
export function revenueOf(
  rows: {
    readonly days: readonly DayFigures[]
    readonly before: ReadonlyMap<Hex, Before>
    readonly terms: ReadonlyMap<Hex, Terms>
  },
  intervals: readonly DayRange[],
  decimals: ReadonlyMap<Address, number>,
): readonly TokenRevenue[] {
  const walks = new Map<Address, TokenWalk>()
  const walkOf = (id: Hex) => {
    const terms = rows.terms.get(id)
    const known = terms && decimals.get(terms.token)
    if (terms === undefined || known === undefined) return undefined
    const walk = walks.get(terms.token) ?? new TokenWalk(terms.token, intervals)
    walks.set(terms.token, walk)
    return { walk, perMonth: monthlyParts(terms, known) }
  }
  for (const [id, before] of rows.before) {
    const found = walkOf(id)
    found?.walk.begin(before, found.perMonth)
  }
  for (const day of rows.days) {
    const found = walkOf(day.subscriptionId)
    found?.walk.add(day, found.perMonth)
  }
  return [...walks.values()].map((walk) => walk.end())
}

/** Adds up one token: first what was before (`begin`), then the days (`add`), then the intervals in order (`end`). */
class TokenWalk {
  readonly #token: Address
  readonly #intervals: readonly DayRange[]
  readonly #figures: Figures[]
  readonly #mrr: bigint[]
  #activeBefore = 0
  #mrrBefore = 0n
  #feeBalancesBefore = 0n

  constructor(token: Address, intervals: readonly DayRange[]) {
    this.#token = token
    this.#intervals = intervals
    this.#figures = intervals.map(() => noFigures())
    this.#mrr = intervals.map(() => 0n)
  }

  begin({ members, feeBalances }: Before, perMonth: bigint): void {
    this.#activeBefore += members
    this.#mrrBefore += BigInt(members) * perMonth
    this.#feeBalancesBefore += feeBalances
  }

  add(day: DayFigures, perMonth: bigint): void {
    const index = this.#indexOf(day.day)
    const figures = this.#figures[index]
    if (figures === undefined) return
    addTo(figures, day)
    this.#mrr[index] = (this.#mrr[index] ?? 0n) + BigInt(changeOf(day)) * perMonth
  }

  end(): TokenRevenue {
    const total = noFigures()
    let active = this.#activeBefore
    let mrr = this.#mrrBefore
    let feeBalances = this.#feeBalancesBefore
    const intervals = this.#intervals.map((range, index) => {
      const figures = this.#figures[index] ?? noFigures()
      addTo(total, figures)
      const activeAtStart = active
      active += changeOf(figures)
      mrr += this.#mrr[index] ?? 0n
      feeBalances += feeBalanceChangeOf(figures)
      return {
        range,
        figures,
        activeAtStart,
        activeAtEnd: active,
        mrrAtEnd: mrr,
        feeBalancesAtEnd: feeBalances,
      }
    })
    return { token: this.#token, total, intervals }
  }

  /** The place of the interval that a day lies in, found by halving. */
  #indexOf(day: number): number {
    let [low, high] = [0, this.#intervals.length - 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (day < (this.#intervals[middle]?.toDay ?? 0)) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** How many active members there are more than before; below 0, fewer. */
function changeOf({ joined, left, removed, dropped, cancelled }: Readonly<Figures>): number {
  return joined - left - removed - dropped - cancelled
}

/** What went into fee balances, without what came out of them. */
function feeBalanceChangeOf(figures: Readonly<Figures>): bigint {
  const { intoFeeBalances, outOfFeeBalances, refunds, callerFees, systemShares } = figures
  return intoFeeBalances - outOfFeeBalances - refunds - callerFees - systemShares
}

function addTo(sum: Figures, one: Readonly<Figures>): void {
  sum.received += one.received
  sum.intoFeeBalances += one.intoFeeBalances
  sum.outOfFeeBalances += one.outOfFeeBalances
  sum.refunds += one.refunds
  sum.callerFees += one.callerFees
  sum.systemShares += one.systemShares
  sum.payments += one.payments
  sum.failures += one.failures
  sum.joined += one.joined
  sum.left += one.left
  sum.removed += one.removed
  sum.dropped += one.dropped
  sum.cancelled += one.cancelled
}

function noFigures(): Figures {
  return {
    received: 0n,
    intoFeeBalances: 0n,
    outOfFeeBalances: 0n,
    refunds: 0n,
    callerFees: 0n,
    systemShares: 0n,
    payments: 0,
    failures: 0,
    joined: 0,
    left: 0,
    removed: 0,
    dropped: 0,
    cancelled: 0,
  }
}
