/**
 * The charges of one wallet in one token that are still to come, which coverage, outlooks and verdicts go through day by day. Remit is the
 * contract's function that charges all who are due. Its due lists hold the subscriptions of one frequency and due day each.
 */

import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from '../allowance.ts'
import { toRaw } from '../amounts.ts'
import { countDueDays, LAST_DAY, nextDueDay, nthDueDay } from '../calendar.ts'
import type { Frequency } from '../subscription.ts'
import {
  ChargeAmounts,
  type ChargedSubscription,
  type ChargeVerdict,
  decideCharge,
  type Means,
  UNEXPLAINED,
} from './decideCharge.ts'

/** The verdict on a due charge that remit does not reach: it comes later (`waits`), or never. */
export interface UnreachedVerdict {
  readonly kind: 'waits' | 'skipped'
}

/** A charge that a simulation of remit has shown. */
export interface SeenCharge {
  readonly id: Hex
  /** Whether remit dropped the account with it. */
  readonly hasFailed: boolean
  /** What left the wallet, in raw units. Absent where the token does not log it. */
  readonly taken?: bigint
}

/** What is known of remit on one day, beside what the wallet has (`Means`). */
export interface RemitDay<Unreached extends UnreachedVerdict> {
  /** The wallet's charges that remit reaches, in the order in which it makes them. */
  readonly charges: readonly SeenCharge[]
  /** The verdict on the wallet's other due charges of the day. */
  readonly others: Unreached
}

export interface ChargeScheduleInput<Unreached extends UnreachedVerdict = never> {
  /**
   * The subscriptions that remit charges the wallet for in one token. Those with the same frequency and due day stand in
   * the order in which remit charges them: from the end of their due list (docs/protocol.md).
   */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The decimals in the contract's entry for the token. */
  readonly decimals: number
  /** The contract's factor over 10000. */
  readonly callerFee: bigint
  readonly means: Means
  /** The contract's: the first day that remit has not finished (unix time / 86400). */
  readonly nextUncheckedDay: number
  /** Without it, and for a day for which it answers `undefined`, remit counts as reaching every due charge. */
  readonly remitOn?: (dayNumber: number) => RemitDay<Unreached> | undefined
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
export interface UpcomingCharge<Unreached extends UnreachedVerdict = never> {
  readonly id: Hex
  /** The due day. Where remit is behind, the charge itself is later. */
  readonly dayNumber: number
  /** One full period, in raw units. */
  readonly full: bigint
  /** What the contract asks the token for, in raw units; 0 where it does not pay. */
  readonly asked: bigint
  /**
   * What leaves the wallet, in raw units; 0 where it does not pay. More than `asked` where a simulation has shown that the token takes more.
   * Later charges, which no simulation has shown, take as much in proportion.
   */
  readonly taken: bigint
  readonly verdict: ChargeVerdict | Unreached
  /** The charges of this subscription that were paid before. */
  readonly periodsBefore: number
  /** The due day of the last of them; `null` where there is none. */
  readonly paidUntil: number | null
}

/** A charge with which remit drops the subscriber. */
export type FailedCharge = Omit<UpcomingCharge, 'verdict'> & {
  readonly verdict: Extract<ChargeVerdict, { kind: 'fails' }>
}

/** After so many days, made charge by charge, the search for failures skips ahead by arithmetic. */
const STEPPED_DAYS = 366

/**
 * All future charges of one wallet in one token, as remit will make them.
 *
 * It begins at nextUncheckedDay. Each charge needs allowance and balance for a full period. A charge that fails takes
 * nothing and drops its subscription for good; the others go on. It leaves out money that comes in, changes of the
 * caller fee and of the due lists' order. Paused tokens, and what remit skips where one call breaks off, it knows by `remitOn` alone.
 *
 * A schedule goes forward only, by whole days, and ends with the calendar.
 */
export class ChargeSchedule<Unreached extends UnreachedVerdict = never> {
  readonly #means: { allowance: bigint | null; balance: bigint | null }
  readonly #fees: { readonly decimals: number; readonly callerFee: bigint }
  readonly #remitOn: (dayNumber: number) => RemitDay<Unreached> | undefined
  /** The first charge with which the token was seen to take more than it was asked for. */
  #surcharge: { readonly asked: bigint; readonly taken: bigint } | undefined
  /** Sorted by frequency: within a day, that is remit's order. */
  readonly #groups: readonly Group[]
  /** The first day whose charges are still to be made. */
  #day: number

  constructor(input: ChargeScheduleInput<Unreached>) {
    const { subscriptions, decimals, callerFee, nextUncheckedDay, remitOn = () => undefined } = input
    const { allowance, balance } = input.means
    this.#fees = { decimals, callerFee }
    this.#remitOn = remitOn
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
      const full = toRaw(subscription.amount, decimals)
      group.payers.push({ ...subscription, full, periods: 0, paidUntil: null })
      group.full += full
    }
    this.#groups = [...groups.values()].sort((a, b) => a.frequency - b.frequency)
  }

  /** Every charge up to this day, that day included, from where the last call of any method ended. */
  *through(lastDay: number): Generator<UpcomingCharge<Unreached>> {
    for (let charges = this.#next(lastDay); charges !== undefined; charges = this.#next(lastDay)) {
      yield* charges
    }
  }

  /**
   * Every charge that fails, up to the calendar's end, if remit reaches every due charge. Paid charges in between are
   * calculated together, so that centuries cost little time. The number of steps is bounded: a wallet that lasts
   * another year after a failure has more money than that year's charges, and this can repeat only some hundred times.
   */
  *failures(): Generator<FailedCharge> {
    if (this.#means.allowance === null && this.#means.balance === null) return
    while (this.#groups.some(({ next }) => next <= LAST_DAY)) {
      for (const charge of this.through(this.#day + STEPPED_DAYS)) if (isFailed(charge)) yield charge
      this.#leap()
    }
  }

  /** Makes the charges of the next day that has any; `undefined` where there is none up to the last day. */
  #next(lastDay: number): UpcomingCharge<Unreached>[] | undefined {
    const day = this.#groups.reduce((first, { next }) => Math.min(first, next), Number.POSITIVE_INFINITY)
    if (day > Math.min(lastDay, LAST_DAY)) return undefined
    const due = this.#groups
      .filter(({ next }) => next === day)
      .flatMap((group) => {
        group.next = nextDueDay(group.frequency, group.dueDay, day + 1) ?? Number.POSITIVE_INFINITY
        return group.payers
      })
    const charges = this.#chargeDue(due, day)
    const failed = charges.filter(isFailed)
    if (failed.length > 0) this.#drop(new Set(failed.map(({ id }) => id)))
    this.#day = day + 1
    return charges
  }

  /** Makes the charges of a day: those that remit is known to reach, in its order, then the others, which move nothing. */
  #chargeDue(due: readonly Payer[], day: number): UpcomingCharge<Unreached>[] {
    const known = this.#remitOn(day)
    if (known === undefined) return due.map((payer) => this.#charge(payer, day))
    const byId = new Map(due.map((payer) => [payer.id, payer]))
    const made = known.charges.flatMap((seen) => {
      const payer = byId.get(seen.id)
      byId.delete(seen.id)
      return payer === undefined ? [] : [this.#charge(payer, day, seen)]
    })
    const unreached = [...byId.values()].map(({ id, full, periods, paidUntil }) => {
      const charge = { id, dayNumber: day, full, asked: 0n, taken: 0n, periodsBefore: periods, paidUntil }
      return { ...charge, verdict: known.others }
    })
    return [...made, ...unreached]
  }

  #charge(payer: Payer, dayNumber: number, seen?: SeenCharge): UpcomingCharge<Unreached> {
    const { id, full, periods: periodsBefore, paidUntil } = payer
    const charge = { id, dayNumber, full, periodsBefore, paidUntil }
    const decision = decideCharge(payer, this.#fees, this.#means)
    const { feeBalance } = decision
    const verdict = decision.verdict.kind === 'pays' && seen?.hasFailed ? UNEXPLAINED : decision.verdict
    if (verdict.kind === 'fails') return { ...charge, asked: 0n, taken: 0n, verdict }
    const asked = decision.toFeeBalance + decision.toProvider
    const taken = seen?.taken === undefined ? this.#expected(asked) : largerOf(asked, seen.taken)
    if (taken > asked && asked > 0n) this.#surcharge ??= { asked, taken }
    this.#take(asked, taken)
    payer.feeBalance = feeBalance
    payer.periods += 1
    payer.paidUntil = dayNumber
    return { ...charge, asked, taken, verdict }
  }

  /** What a charge takes that no simulation has shown: in proportion, if the token was seen to take more than it is asked for. */
  #expected(asked: bigint): bigint {
    return this.#surcharge === undefined ? asked : (asked * this.#surcharge.taken) / this.#surcharge.asked
  }

  /** A token that takes more than it is asked for takes it from the balance: the allowance was given for what is asked. */
  #take(asked: bigint, taken = asked): void {
    const { allowance, balance } = this.#means
    if (allowance !== null) this.#means.allowance = allowance - asked
    if (balance !== null) this.#means.balance = balance - taken
  }

  #drop(ids: ReadonlySet<Hex>): void {
    for (const group of this.#groups) {
      group.payers = group.payers.filter(({ id }) => !ids.has(id))
      group.full = group.payers.reduce((sum, { full }) => sum + full, 0n)
    }
  }

  /**
   * Makes all charges before the first day by which full periods could add up to more than the wallet has. That day is found by halving;
   * it is after LAST_DAY where there is none.
   */
  #leap(): void {
    const { allowance, balance } = this.#means
    const spendable = smallerOf(allowance, balance)
    const fromDay = this.#day
    let lastPaidDay = fromDay - 1
    let shortDay = LAST_DAY + 1
    while (shortDay - lastPaidDay > 1) {
      const middle = Math.floor((lastPaidDay + shortDay) / 2)
      if (costOf(this.#groups, fromDay, middle) > spendable) shortDay = middle
      else lastPaidDay = middle
    }
    for (const group of this.#groups) {
      const { frequency, dueDay } = group
      const count = countDueDays(frequency, dueDay, fromDay, lastPaidDay)
      const paidUntil = nthDueDay(frequency, dueDay, fromDay, count)
      for (const payer of count === 0 ? [] : group.payers) {
        const { taken, feeBalance } = new ChargeAmounts(payer, this.#fees).after(count)
        this.#take(taken)
        payer.feeBalance = feeBalance
        payer.periods += count
        payer.paidUntil = paidUntil ?? payer.paidUntil
      }
      group.next = nextDueDay(frequency, dueDay, shortDay) ?? Number.POSITIVE_INFINITY
    }
    this.#day = shortDay
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

/** A subscription with what its charges so far have left. */
interface Payer extends Omit<ChargedSubscription, 'feeBalance'> {
  readonly full: bigint
  feeBalance: bigint
  /** Charges that were paid, and the due day of the last of them. */
  periods: number
  paidUntil: number | null
}

/** A token that keeps a part of what arrives may log only the rest. What was asked for has left the wallet all the same. */
function largerOf(asked: bigint, logged: bigint): bigint {
  return logged > asked ? logged : asked
}

function newGroup(frequency: Frequency, dueDay: number, fromDay: number): Group {
  const next = nextDueDay(frequency, dueDay, fromDay) ?? Number.POSITIVE_INFINITY
  return { frequency, dueDay, payers: [], full: 0n, next }
}

/** What full periods of all groups cost from one day to another, both included. */
function costOf(groups: readonly Group[], fromDay: number, toDay: number): bigint {
  return groups.reduce(
    (sum, { frequency, dueDay, full }) =>
      sum + BigInt(countDueDays(frequency, dueDay, fromDay, toDay)) * full,
    0n,
  )
}

function isFailed<Unreached extends UnreachedVerdict>(
  charge: UpcomingCharge<Unreached>,
): charge is UpcomingCharge<Unreached> & FailedCharge {
  return charge.verdict.kind === 'fails'
}

function smallerOf(allowance: bigint | null, balance: bigint | null): bigint {
  if (allowance === null) return balance ?? INFINITE_ALLOWANCE
  return balance === null || allowance < balance ? allowance : balance
}
