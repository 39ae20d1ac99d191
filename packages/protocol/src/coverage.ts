/**
 * How long a wallet can pay for its subscriptions in one token. Asked when an account is shown, or a subscription or approval is prepared:
 *
 * 1. `coverageOf`: until when each is paid, and what then runs out.
 * 2. `keptAllowance`: the allowance with which a new subscription shortens none of the others.
 * 3. `subscribeEffect`: what a new subscription changes for the others, and whether the balance lasts.
 */

import type { Hex } from 'viem'
import { INFINITE_ALLOWANCE } from './allowance.ts'
import { atMostUint256, toRaw } from './amounts.ts'
import { countDueDays, LAST_DAY, nextDueDay, nthDueDay } from './calendar.ts'
import { ChargeSchedule, type ChargeScheduleInput, type UnreachedVerdict } from './charges/ChargeSchedule.ts'
import type { ChargedSubscription, Means } from './charges/decideCharge.ts'

/** How long a wallet can pay for a subscription. All fields are `null` where no charge ever fails. */
export interface Coverage {
  /** Charges by remit that are paid before the one that fails. */
  readonly periods: number | null
  /** Due day of the last paid charge; `null` also where none is paid. */
  readonly until: number | null
  /** What the charge that fails lacks; the balance if it lacks both, because no approval helps then. */
  readonly limitedBy: 'allowance' | 'balance' | null
  /** Due day of the charge that fails, with which remit drops the subscriber. */
  readonly failsOn: number | null
}

const ENDLESS: Coverage = { periods: null, until: null, limitedBy: null, failsOn: null }

/** The coverage of each subscription that was asked about, by its id. Throws RangeError for any other one. */
export type CoverageById = (id: Hex) => Coverage

/** How long the wallet can pay for each of its subscriptions in one token (see ChargeSchedule). */
export function coverageOf(input: ChargeScheduleInput<UnreachedVerdict>): CoverageById {
  const coverage = new Map<Hex, Coverage>(input.subscriptions.map(({ id }) => [id, ENDLESS]))
  for (const { id, dayNumber, verdict, periodsBefore, paidUntil } of new ChargeSchedule(input).failures()) {
    coverage.set(id, {
      periods: periodsBefore,
      until: paidUntil,
      limitedBy: verdict.reason === 'allowance' ? 'allowance' : 'balance',
      failsOn: dayNumber,
    })
  }
  return (id) => {
    const found = coverage.get(id)
    if (found === undefined) throw new RangeError(`no coverage of ${id}, which was not asked about`)
    return found
  }
}

/** A hundred years in days. Coverage beyond that is not preserved: the new allowance would become far too large. */
export const KEPT_DAYS = 36_525

export interface KeptAllowanceInput {
  /** All subscriptions of the wallet in the token, with the new one, in remit's order (`inRemitOrder`). */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The id of the new subscription; `undefined` if only the allowance changes. */
  readonly id: Hex | undefined
  /** Those of the contract's entry for the token. */
  readonly decimals: number
  /** The contract's factor over 10000. */
  readonly callerFee: bigint
  /** The first day that remit has not finished, a day number (unix time / 86400) as all days here. */
  readonly nextUncheckedDay: number
  /** The chain's day. Where `nextUncheckedDay` is not after it, remit may be in the middle of that day. */
  readonly today: number
  /** The present allowance, raw. */
  readonly allowance: bigint
  /** What subscribing takes at once, raw. */
  readonly firstChargeRaw: bigint
  /** The least to approve: what the new subscription's own periods need, raw. */
  readonly least: bigint
}

/** How many positions of remit in a half-finished day are looked at: it has charged none of those due, the first, the first two… */
const MAX_POSITIONS = 32

/**
 * The allowance that a new subscription needs so that every other subscription is still paid up to the day to which the present
 * allowance pays for it, at most KEPT_DAYS ahead. Never less than the present allowance, nor more than 2^256 - 1.
 *
 * First it tries the present allowance, plus what the new subscription takes up to the latest of those days (or the least that is
 * approved anyway). That fails where a subscription that was to end sooner goes on with it and takes it from the others. Then it takes
 * all charges of all subscriptions up to that day: with that or more, each of them is paid.
 *
 * Remit may be in the middle of a day, and nobody knows whom it has charged. So the first amount must do for every position that remit
 * can have; with more than MAX_POSITIONS it is not tried. What remit skips where a call of it breaks off is not foreseen.
 */
export function keptAllowance(input: KeptAllowanceInput): bigint {
  const { subscriptions, id, decimals, nextUncheckedDay, allowance, firstChargeRaw } = input
  if (allowance >= INFINITE_ALLOWANCE) return allowance
  const notBelowLeast = (amount: bigint) => (amount > input.least ? amount : input.least)
  const due = dueInRemitOrder(input)
  // Remit may have charged none of those that are due, the first, the first two, and so on; at last all.
  const leftToCharge = [...due.slice(0, MAX_POSITIONS).map((_, charged) => due.slice(charged)), []]
  const scenarios = leftToCharge.map((left) => ({ left, kept: keptDays(input, left) }))
  const lastKeptDay = Math.max(...scenarios.flatMap(({ kept }) => [...kept.values()]))
  if (lastKeptDay === Number.NEGATIVE_INFINITY) return notBelowLeast(allowance)
  const costOf = ({ amount, frequency, dueDay }: ChargedSubscription) =>
    BigInt(countDueDays(frequency, dueDay, nextUncheckedDay, lastKeptDay)) * toRaw(amount, decimals)

  const added = subscriptions.filter((subscription) => subscription.id === id)
  const presentAndNew = notBelowLeast(
    added.reduce((sum, subscription) => sum + costOf(subscription), allowance + firstChargeRaw),
  )
  // Tried with this very amount, since more is not always enough too: it can let another subscription go on, which takes from it.
  const isKept =
    due.length <= MAX_POSITIONS &&
    scenarios.every(({ left, kept }) => {
      const after = coverageFrom(input, left, { subscriptions, allowance: presentAndNew - firstChargeRaw })
      return [...kept].every(([other, until]) => isPaidThrough(after(other), until))
    })
  const allCharges = subscriptions.reduce((sum, subscription) => sum + costOf(subscription), firstChargeRaw)
  return atMostUint256(isKept ? presentAndNew : notBelowLeast(allCharges))
}

/** The subscriptions that are due on the day that remit may have begun, in its order. None if that day is still to come. */
function dueInRemitOrder({ subscriptions, nextUncheckedDay, today }: KeptAllowanceInput): readonly Hex[] {
  if (nextUncheckedDay > today) return []
  return subscriptions
    .filter(({ frequency, dueDay }) => nextDueDay(frequency, dueDay, nextUncheckedDay) === nextUncheckedDay)
    .sort((a, b) => a.frequency - b.frequency)
    .map(({ id }) => id)
}

/**
 * How long an allowance lasts.
 * @param left those that remit has still to charge of the ones due on the day that it may have begun
 */
function coverageFrom(
  { decimals, callerFee, nextUncheckedDay, today }: KeptAllowanceInput,
  left: readonly Hex[],
  { subscriptions, allowance }: Pick<KeptAllowanceInput, 'subscriptions' | 'allowance'>,
): CoverageById {
  const begun = {
    charges: left.map((id) => ({ id, hasFailed: false })),
    others: { kind: 'skipped' as const },
  }
  return coverageOf({
    subscriptions,
    decimals,
    callerFee,
    nextUncheckedDay,
    means: { allowance, balance: null },
    remitOn: (day) => (day === nextUncheckedDay && nextUncheckedDay <= today ? begun : undefined),
  })
}

/** By id, the last due day that the present allowance pays for, of each other subscription. Left out where it pays for none. */
function keptDays(input: KeptAllowanceInput, left: readonly Hex[]): ReadonlyMap<Hex, number> {
  const { id, allowance, nextUncheckedDay } = input
  const subscriptions = input.subscriptions.filter((subscription) => subscription.id !== id)
  const before = coverageFrom(input, left, { subscriptions, allowance })
  return new Map(
    subscriptions.flatMap(({ id: other, frequency, dueDay }) => {
      const { periods, until } = before(other)
      const lastDay = Math.min(until ?? LAST_DAY, nextUncheckedDay + KEPT_DAYS)
      const charges = countDueDays(frequency, dueDay, nextUncheckedDay, lastDay)
      const kept = nthDueDay(frequency, dueDay, nextUncheckedDay, charges)
      return periods === 0 || charges === 0 || kept === undefined ? [] : [[other, kept] as const]
    }),
  )
}

/** Whether a subscription is paid up to this day, that day included. */
function isPaidThrough(coverage: Coverage, day: number): boolean {
  return coverage.failsOn === null || (coverage.until ?? 0) >= day
}

/** How many charges of the new subscription, after the one at once, today's balance should pay for. */
const CARRIED_CHARGES = 3

export interface SubscribeEffectInput {
  /** All of the wallet's subscriptions in the token, in remit's order; the new one with its first fee balance. */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The id of the new subscription. */
  readonly id: Hex
  /** These three as in KeptAllowanceInput. */
  readonly decimals: number
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
  /** Allowance and balance before anything is approved or taken, raw. */
  readonly before: { readonly allowance: bigint; readonly balance: bigint }
  /** The allowance after the approval, raw. */
  readonly approved: bigint
  /** What subscribing takes at once, raw. */
  readonly firstChargeRaw: bigint
}

/** The coverage of one subscription, without the new one and with it. */
interface CoverageChange {
  readonly before: Coverage
  readonly after: Coverage
}

/** A balance that is too low for the next charges. */
interface Shortfall {
  /** What all subscriptions take up to `through`, with what subscribing takes at once, raw. */
  readonly needed: bigint
  readonly missing: bigint
  /** Due day of the first charge that fails. */
  readonly by: number
  readonly failing: Hex
  /** Due day of the last charge that should be paid. */
  readonly through: number
}

export interface SubscribeEffect {
  /** How long the wallet can pay for the new subscription. */
  readonly covers: Coverage
  /** The others whose coverage changes: `covers` by allowance and balance, `allowanceCovers` by the allowance alone. */
  readonly others: readonly {
    readonly id: Hex
    readonly covers: CoverageChange
    readonly allowanceCovers: CoverageChange
  }[]
  readonly shortfall: Shortfall | null
}

/** How long the wallet can pay for a new subscription, and what changes for its others in the token. */
export function subscribeEffect(input: SubscribeEffectInput): SubscribeEffect {
  const { subscriptions, id, before, approved, firstChargeRaw } = input
  const after = { allowance: less(approved, firstChargeRaw), balance: less(before.balance, firstChargeRaw) }
  const others = subscriptions.filter((subscription) => subscription.id !== id)
  const cover = (rows: readonly ChargedSubscription[], means: Means) =>
    coverageOf({ ...input, subscriptions: rows, means })
  const covered = (limits: (means: typeof after) => Means): CoveredBeforeAndAfter => ({
    before: cover(others, limits(before)),
    after: cover(subscriptions, limits(after)),
  })
  const covers = covered((means) => means)
  const allowanceCovers = covered(({ allowance }) => ({ allowance, balance: null }))
  const balanceCovers = covered(({ balance }) => ({ allowance: null, balance }))
  return {
    covers: covers.after(id),
    others: others
      .map((other) => ({
        id: other.id,
        covers: changeOf(covers, other.id),
        allowanceCovers: changeOf(allowanceCovers, other.id),
      }))
      .filter((other) => isChange(other.covers) || isChange(other.allowanceCovers)),
    shortfall: shortfallOf(input, balanceCovers),
  }
}

/** How long each is paid: the others alone before, and all with the new one after. */
interface CoveredBeforeAndAfter {
  readonly before: CoverageById
  readonly after: CoverageById
}

/** @param other one of those that were there before */
function changeOf({ before, after }: CoveredBeforeAndAfter, other: Hex): CoverageChange {
  return { before: before(other), after: after(other) }
}

/** Whether it fails sooner than before. */
export function isShortened({ before, after }: CoverageChange): boolean {
  return after.failsOn !== null && (before.failsOn === null || after.failsOn < before.failsOn)
}

/** What today's balance lacks for the next charges. Other subscriptions count only if the new one makes them fail sooner. */
function shortfallOf(
  { subscriptions, id, decimals, nextUncheckedDay, before, firstChargeRaw }: SubscribeEffectInput,
  balanceCovers: CoveredBeforeAndAfter,
): Shortfall | null {
  const own = subscriptions.find((subscription) => subscription.id === id)
  if (own === undefined) throw new RangeError(`the new subscription ${id} is not among those given`)
  const through = nthDueDay(own.frequency, own.dueDay, nextUncheckedDay, CARRIED_CHARGES) ?? LAST_DAY
  const failures = subscriptions.flatMap((subscription) => {
    const { failsOn } = balanceCovers.after(subscription.id)
    const counts = subscription.id === id || isShortened(changeOf(balanceCovers, subscription.id))
    return counts && failsOn !== null && failsOn <= through ? [{ id: subscription.id, failsOn }] : []
  })
  const [first, ...rest] = failures
  if (first === undefined) return null
  const { id: failing, failsOn: by } = rest.reduce((a, b) => (b.failsOn < a.failsOn ? b : a), first)
  const needed = subscriptions.reduce((sum, { amount, frequency, dueDay }) => {
    const charges = countDueDays(frequency, dueDay, nextUncheckedDay, through)
    return sum + BigInt(charges) * toRaw(amount, decimals)
  }, firstChargeRaw)
  return { needed, missing: needed - before.balance, by, failing, through }
}

function isChange({ before, after }: CoverageChange): boolean {
  return before.periods !== after.periods || before.limitedBy !== after.limitedBy
}

function less(amount: bigint, taken: bigint): bigint {
  return amount > taken ? amount - taken : 0n
}
