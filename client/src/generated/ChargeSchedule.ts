// Generated from src/protocol/coverage/ChargeSchedule.ts by client/generate/main.ts. Do not edit.
import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from './allowance.ts'
import { countDueDays, LAST_DAY, nextDueDay, nthDueDay } from './calendar.ts'
import { type ChargedSubscription, ChargeAmounts } from './ChargeAmounts.ts'
import type { Frequency } from './subscription.ts'

/** What a wallet can spend in one token, in raw units; `null` where it is unlimited. */
export interface Means {
  readonly allowance: bigint | null
  readonly balance: bigint | null
}

export interface ChargeScheduleInput {
  /**
   * The subscriptions that remit charges the wallet for in one token. Those with the same frequency and due day stand in
   * the order in which remit charges them: from the end of their due list (docs/protocol.md).
   */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The decimals in the contract's entry for the token. */
  readonly decimals: number
  readonly callerFee: bigint
  readonly means: Means
  readonly nextUncheckedDay: number
}

/**
 * Sorts subscriptions into the order in which remit charges those that are due together.
 *
 * @param dueOrder ids in the order of their due list. Remit walks it from its end, so a subscription that will be
 *   appended comes first. Where a list is not known, the subscriptions' own order stands in for it.
 */
export function inRemitOrder<Item extends { readonly id: Hex }>(
  subscriptions: readonly Item[],
  dueOrder: readonly Hex[],
): Item[] {
  const places = new Map(dueOrder.map((id, place) => [id, place]))
  const placeOf = ({ id }: Item) => places.get(id) ?? dueOrder.length
  return [...subscriptions].reverse().sort((a, b) => placeOf(b) - placeOf(a))
}

/** One future charge. */
export interface UpcomingCharge {
  readonly id: Hex
  /** The due day. Where remit is behind, the charge itself is later. */
  readonly dayNumber: number
  /** What leaves the wallet, in raw units. */
  readonly taken: bigint
  /** What is missing for a full period where the charge fails and remit drops the subscriber; else `null`. */
  readonly missing: { readonly allowance: bigint; readonly balance: bigint } | null
  /** The charges of this subscription that were paid before. */
  readonly periodsBefore: number
  /** The due day of the last of them. */
  readonly paidUntil: number | null
}

/** After so many days without a failed charge, the schedule skips ahead by arithmetic. */
const STEPPED_DAYS = 366

/**
 * All future charges of one wallet in one token, as remit will make them.
 *
 * It begins at nextUncheckedDay. Each charge needs allowance and balance for a full period. A charge that fails takes
 * nothing and drops its subscription for good; the others go on. It does not know about money that comes in, changes of
 * the caller fee, a token that is paused, days that a page break skips, and changes of the due lists' order.
 *
 * A schedule goes forward only, by whole days, and ends with the calendar.
 */
export class ChargeSchedule {
  readonly #means: { allowance: bigint | null; balance: bigint | null }
  /** Sorted by frequency: within a day, that is remit's order. */
  #groups: Group[]
  #day: number

  constructor({ subscriptions, decimals, callerFee, means, nextUncheckedDay }: ChargeScheduleInput) {
    const { allowance, balance } = means
    this.#means = {
      allowance: allowance === null || allowance >= INFINITE_ALLOWANCE ? null : allowance,
      balance,
    }
    this.#day = nextUncheckedDay
    const groups = new Map<string, Group>()
    for (const subscription of subscriptions) {
      const { frequency, dueDay } = subscription
      const key = `${frequency}:${dueDay}`
      const group = groups.get(key) ?? newGroup(frequency, dueDay, nextUncheckedDay)
      groups.set(key, group)
      const costs = new ChargeAmounts(subscription, { decimals, callerFee })
      group.payers.push({ id: subscription.id, costs, periods: 0, paidUntil: null })
      group.full += costs.full
    }
    this.#groups = [...groups.values()].sort((a, b) => a.frequency - b.frequency)
  }

  /** Every charge up to this day, that day included. */
  *through(lastDay: number): Generator<UpcomingCharge> {
    for (let charges = this.#next(lastDay); charges !== undefined; charges = this.#next(lastDay)) {
      yield* charges
    }
  }

  /**
   * Every charge that fails, up to the calendar's end. Paid charges in between are calculated together, so that centuries
   * cost little time. The number of steps is bounded: a wallet that lasts another year after a failure has more money than
   * that year's charges, and this can repeat only some hundred times.
   */
  *failures(): Generator<UpcomingCharge & { readonly missing: NonNullable<UpcomingCharge['missing']> }> {
    if (this.#means.allowance === null && this.#means.balance === null) return
    while (this.#groups.some(({ next }) => next <= LAST_DAY)) {
      let hasFailed = false
      for (const charge of this.through(this.#day + STEPPED_DAYS)) {
        if (charge.missing === null) continue
        hasFailed = true
        yield { ...charge, missing: charge.missing }
      }
      if (!hasFailed) this.#leap()
    }
  }

  /** Makes the charges of the next day that has any; `undefined` where there is none up to the last day. */
  #next(lastDay: number): UpcomingCharge[] | undefined {
    const day = this.#groups.reduce((first, { next }) => Math.min(first, next), Number.POSITIVE_INFINITY)
    if (day > Math.min(lastDay, LAST_DAY)) {
      this.#day = Math.max(this.#day, lastDay + 1)
      return undefined
    }
    const charges = this.#groups
      .filter(({ next }) => next === day)
      .flatMap((group) => {
        group.next = nextDueDay(group.frequency, group.dueDay, day + 1) ?? Number.POSITIVE_INFINITY
        return group.payers.map((payer) => this.#charge(payer, day))
      })
    if (charges.some(({ missing }) => missing !== null)) {
      this.#drop(new Set(charges.filter(({ missing }) => missing !== null).map(({ id }) => id)))
    }
    this.#day = day + 1
    return charges
  }

  #charge(payer: Payer, dayNumber: number): UpcomingCharge {
    const { id, costs, periods, paidUntil } = payer
    const { allowance, balance } = this.#means
    const charge = { id, dayNumber, periodsBefore: periods, paidUntil }
    const missing = { allowance: below(allowance, costs.full), balance: below(balance, costs.full) }
    if (missing.allowance > 0n || missing.balance > 0n) return { ...charge, taken: 0n, missing }
    const taken = costs.taken(periods, 1)
    this.#take(taken)
    payer.periods += 1
    payer.paidUntil = dayNumber
    return { ...charge, taken, missing: null }
  }

  #take(amount: bigint): void {
    const { allowance, balance } = this.#means
    if (allowance !== null) this.#means.allowance = allowance - amount
    if (balance !== null) this.#means.balance = balance - amount
  }

  #drop(ids: ReadonlySet<Hex>): void {
    for (const group of this.#groups) {
      group.payers = group.payers.filter(({ id }) => !ids.has(id))
      group.full = group.payers.reduce((sum, { costs }) => sum + costs.full, 0n)
    }
    this.#groups = this.#groups.filter(({ payers }) => payers.length > 0)
  }

  /** Makes all charges before the first day on which full periods could exceed what the wallet has. */
  #leap(): void {
    const { allowance, balance } = this.#means
    const least = leastOf(allowance, balance)
    const fromDay = this.#day
    let carried = fromDay - 1
    let short = LAST_DAY + 1
    while (short - carried > 1) {
      const middle = Math.floor((carried + short) / 2)
      if (costOf(this.#groups, fromDay, middle) > least) short = middle
      else carried = middle
    }
    for (const group of this.#groups) {
      const { frequency, dueDay } = group
      const count = countDueDays(frequency, dueDay, fromDay, carried)
      const paidUntil = nthDueDay(frequency, dueDay, fromDay, count)
      for (const payer of count === 0 ? [] : group.payers) {
        this.#take(payer.costs.taken(payer.periods, count))
        payer.periods += count
        payer.paidUntil = paidUntil ?? payer.paidUntil
      }
      group.next = nextDueDay(frequency, dueDay, short) ?? Number.POSITIVE_INFINITY
    }
    this.#day = short
  }
}

/** The subscriptions of one due list. */
interface Group {
  readonly frequency: Frequency
  readonly dueDay: number
  payers: Payer[]
  /** The most that all of them take on a due day. */
  full: bigint
  /** The next due day; infinite past the calendar's end. */
  next: number
}

interface Payer {
  readonly id: Hex
  readonly costs: ChargeAmounts
  periods: number
  paidUntil: number | null
}

function newGroup(frequency: Frequency, dueDay: number, fromDay: number): Group {
  const next = nextDueDay(frequency, dueDay, fromDay) ?? Number.POSITIVE_INFINITY
  return { frequency, dueDay, payers: [], full: 0n, next }
}

function costOf(groups: readonly Group[], fromDay: number, toDay: number): bigint {
  return groups.reduce(
    (sum, { frequency, dueDay, full }) =>
      sum + BigInt(countDueDays(frequency, dueDay, fromDay, toDay)) * full,
    0n,
  )
}

/** How much is missing; 0 where it is unlimited. */
function below(means: bigint | null, full: bigint): bigint {
  return means === null || means >= full ? 0n : full - means
}

function leastOf(allowance: bigint | null, balance: bigint | null): bigint {
  if (allowance === null) return balance ?? INFINITE_ALLOWANCE
  return balance === null || allowance < balance ? allowance : balance
}
