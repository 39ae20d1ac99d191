/**
 * What a wallet will be charged, when, whether it can pay, and what it lacks: the outlook of an account, and what a top-up must add. Remit
 * is the contract's function that charges all who are due. A page is what one call of it charges, maxRemits subscribers at most; a page
 * break can make it skip charges of that day for good.
 */

import type { Address, Hex } from 'viem'
import {
  ChargeSchedule,
  type RemitDay,
  type SeenCharge,
  type UpcomingCharge,
} from '../charges/ChargeSchedule.ts'
import {
  type ChargedSubscription,
  type ChargeVerdict,
  type Means,
  type MissingFunds,
  missingFunds,
} from '../charges/decideCharge.ts'

/**
 * What becomes of one due charge.
 *
 * - `pays`, `fails`: remit reaches it. If it fails, remit drops the subscriber for good.
 * - `waits`: remit itself reverts from its day on, or from a day before it. It charges and drops nobody.
 * - `skipped`: remit passes the day without charging, for good.
 */
export type Verdict<Blocker> = ChargeVerdict | Waits<Blocker> | Skipped

export interface Waits<Blocker> {
  readonly kind: 'waits'
  readonly blockedBy: Blocker
}

export interface Skipped {
  readonly kind: 'skipped'
  readonly because: 'tokenPaused' | 'pageBreak'
}

/** One of the wallet's subscriptions. */
export interface PayerSubscription extends ChargedSubscription {
  readonly token: Address
}

/** One token that the wallet pays in. */
export interface PayerToken {
  readonly token: Address
  /** The decimals in the contract's entry for the token. */
  readonly decimals: number
  readonly paused: boolean
  readonly means: Means
}

/** What is known about remit for all wallets alike. */
export interface RemitAhead<Blocker> {
  /**
   * The wallet's charges that remit makes on a day, in its order, as a simulation of remit has shown. `undefined` for
   * days that it did not show: there remit counts as reaching every due charge.
   */
  readonly chargesOn?: (dayNumber: number) => readonly SeenCharge[] | undefined
  /** Whether a page may break on that day if `more` charges are due than the simulation showed. Without it, every day may have a break. */
  readonly mayBreak?: (dayNumber: number, more: number) => boolean
  /** Where remit reverts from a day on. Of that day, only the charges that `chargesOn` tells are made. */
  readonly stop?: { readonly dayNumber: number; readonly blockedBy: Blocker }
}

export interface PayerOutlookInput<Blocker> {
  /** All of its subscriptions that remit charges, with those of one due list in remit's order (`inRemitOrder`). */
  readonly subscriptions: readonly PayerSubscription[]
  readonly tokens: readonly PayerToken[]
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
  /** The last day, that day included. */
  readonly throughDay: number
  readonly remit?: RemitAhead<Blocker>
}

/** One due charge to come. */
export interface OutlookCharge<Blocker> {
  readonly id: Hex
  readonly token: Address
  readonly dayNumber: number
  /** One full period, in raw units: what allowance and balance must hold. */
  readonly full: bigint
  /** What leaves the wallet, raw; 0 where it does not pay. */
  readonly taken: bigint
  readonly verdict: Verdict<Blocker>
  /**
   * What each must grow by today, so that this charge pays and all those before it in its token. `undefined` where it does not fail, and
   * where nobody knows what is missing.
   */
  readonly toAdd: MissingFunds | undefined
}

/** How one token's allowance and balance last up to the last day. */
export interface TokenOutlook {
  readonly token: Address
  readonly means: Means
  /** The first charge that fails. */
  readonly firstFailure: { readonly id: Hex; readonly dayNumber: number } | undefined
  /** What each must grow by today, so that every charge up to the last day pays. */
  readonly toAdd: MissingFunds
  /**
   * - `least`: with one unit less, a charge fails.
   * - `enough`: it may be too much, because a page break can skip charges that no simulation has shown.
   * - `atLeast`: the token takes more than it is asked for, and how much more is unknown.
   */
  readonly toAddIs: 'least' | 'enough' | 'atLeast'
  /** The first charge with which the token was seen to take more than the contract asks for. */
  readonly surcharge: Surcharge | undefined
}

/** A charge with which a token took more than it was asked for, in raw units. */
export interface Surcharge {
  readonly id: Hex
  readonly dayNumber: number
  readonly asked: bigint
  /** `undefined` if the token's logs leave out a part, which only the following drop has shown. */
  readonly taken: bigint | undefined
}

export interface PayerOutlook<Blocker> {
  /** In the order in which remit takes them. */
  readonly charges: readonly OutlookCharge<Blocker>[]
  readonly tokens: readonly TokenOutlook[]
}

/** How many days ahead an outlook goes where the caller names no day. */
export const OUTLOOK_DAYS = 90

/**
 * Every charge of one wallet up to a day, as remit will take it.
 *
 * The state is today's: money that comes in is not counted, and nobody subscribes, leaves or approves anything. Each
 * token has an allowance and a balance of its own, so each is walked separately.
 */
export function outlookOf<Blocker>(input: PayerOutlookInput<Blocker>): PayerOutlook<Blocker> {
  const { tokens, remit = {} } = input
  const asItStands = tokens.map((token) => ({ token, charges: [...walk(input, token, token.means, remit)] }))
  const failsOn = Math.min(
    ...asItStands.map(({ charges }) => firstFailure(charges)?.dayNumber ?? Number.POSITIVE_INFINITY),
  )
  // Once more, as if the wallet had unlimited money: so each charge shows what it and those before it need. Charges that wait count as
  // made on their day, since they will be made some day.
  const allPaid = ifAllPaid(remit, failsOn)
  const walks = asItStands.map(({ token, charges }) => {
    return { token, charges, paidCharges: [...walk(input, token, UNLIMITED, allPaid)] }
  })
  const dueOn = countByDay(walks.flatMap(({ paidCharges }) => paidCharges))
  // Whether a charge may be skipped: its day was not simulated, and a page may break on it before the charge.
  const maySkip = ({ dayNumber }: Walked<Blocker>) =>
    allPaid.chargesOn?.(dayNumber) === undefined &&
    (remit.mayBreak?.(dayNumber, dueOn.get(dayNumber) ?? 0) ?? true)
  const counted = walks.map((one) => {
    // Where money came in, the walk with unlimited money alone has the charge that took more.
    const surcharge = surchargeIn([...one.paidCharges, ...one.charges], remit)
    return { ...one, surcharge, needed: neededThrough(one.paidCharges, surcharge, allPaid) }
  })
  const outlookCharges = counted.flatMap(({ token: { token, means }, charges, needed }) =>
    charges.map(({ id, dayNumber, full, taken, verdict }) => {
      const least = isKnownFailure(verdict) ? needed.get(chargeKey({ id, dayNumber })) : undefined
      const toAdd = least === undefined ? undefined : missingFunds(least, means)
      return { id, token, dayNumber, full, taken, verdict, toAdd }
    }),
  )
  return {
    charges: inOrder(input, outlookCharges),
    tokens: counted.map(({ token: { token, means }, charges, paidCharges, needed, surcharge }) => {
      const failure = firstFailure(charges)
      const toAdd = missingFunds([...needed.values()].at(-1) ?? 0n, means)
      const isNothing = toAdd.allowance === 0n && toAdd.balance === 0n
      return {
        token,
        means,
        firstFailure: failure && { id: failure.id, dayNumber: failure.dayNumber },
        toAdd,
        toAddIs:
          surcharge !== undefined ? 'atLeast' : !isNothing && paidCharges.some(maySkip) ? 'enough' : 'least',
        surcharge,
      }
    }),
  }
}

type Walked<Blocker> = UpcomingCharge<Waits<Blocker> | Skipped>

/** All charges of the wallet in one token up to the last day. */
function walk<Blocker>(
  { subscriptions, callerFee, nextUncheckedDay, throughDay }: PayerOutlookInput<Blocker>,
  { token, decimals, paused }: PayerToken,
  means: Means,
  ahead: RemitAhead<Blocker>,
): Generator<Walked<Blocker>> {
  const own = subscriptions.filter((subscription) => subscription.token === token)
  const remitOn = (dayNumber: number) => remitDay(dayNumber, paused, ahead)
  const schedule = { subscriptions: own, decimals, callerFee, nextUncheckedDay, means, remitOn }
  return new ChargeSchedule<Waits<Blocker> | Skipped>(schedule).through(throughDay)
}

function firstFailure<Blocker>(walked: readonly Walked<Blocker>[]): Walked<Blocker> | undefined {
  return walked.find(({ verdict }) => verdict.kind === 'fails')
}

function countByDay<Blocker>(charges: readonly Walked<Blocker>[]): ReadonlyMap<number, number> {
  const days = new Map<number, number>()
  for (const { dayNumber } of charges) days.set(dayNumber, (days.get(dayNumber) ?? 0) + 1)
  return days
}

const UNLIMITED: Means = { allowance: null, balance: null }

/**
 * For each charge, by its key: what the wallet must hold today so that it pays and all those before it, raw. Where the token was seen to
 * take more than it is asked for, those that were not seen are counted with as much.
 */
function neededThrough<Blocker>(
  charges: readonly Walked<Blocker>[],
  surcharge: Surcharge | undefined,
  remit: RemitAhead<Blocker>,
): ReadonlyMap<string, bigint> {
  const through = new Map<string, bigint>()
  let [spent, needed] = [0n, 0n]
  for (const charge of charges) {
    if (charge.verdict.kind !== 'pays') continue
    const { full, asked, taken } = charge
    const most = asked + surchargeOn(asked, surcharge)
    const leaves = seenOf(charge, remit)?.taken === undefined && most > taken ? most : taken
    if (spent + leaves > needed) needed = spent + leaves
    // Remit asks for a full period, also where less leaves the wallet.
    if (spent + full > needed) needed = spent + full
    spent += leaves
    through.set(chargeKey(charge), needed)
  }
  return through
}

function chargeKey({ id, dayNumber }: { readonly id: Hex; readonly dayNumber: number }): string {
  return `${id}${dayNumber}`
}

function isKnownFailure<Blocker>(verdict: Verdict<Blocker>): boolean {
  return verdict.kind === 'fails' && verdict.reason !== 'unexplained'
}

/** The most in proportion to what was seen: the token may have rounded each of two transfers down, and may round the next one up. */
function surchargeOn(asked: bigint, seen: Surcharge | undefined): bigint {
  if (seen?.taken === undefined || seen.asked === 0n) return 0n
  return (asked * (seen.taken - seen.asked + 2n)) / seen.asked + 1n
}

/** The charge as a simulation has shown it. */
function seenOf<Blocker>(
  { id, dayNumber }: Walked<Blocker>,
  { chargesOn }: RemitAhead<Blocker>,
): SeenCharge | undefined {
  return chargesOn?.(dayNumber)?.find((seen) => seen.id === id)
}

/** The first charge that shows that the token takes more than it is asked for. */
function surchargeIn<Blocker>(
  walked: readonly Walked<Blocker>[],
  remit: RemitAhead<Blocker>,
): Surcharge | undefined {
  for (const charge of walked) {
    const { id, dayNumber, asked, taken, verdict } = charge
    if (taken > asked) return { id, dayNumber, asked, taken }
    if (verdict.kind !== 'fails') continue
    if (verdict.reason === 'unexplained') return { id, dayNumber, asked, taken: undefined }
    // A simulation has shown remit charging it, so money came in. From here on the wallet has spent more than this walk
    // counts.
    if (seenOf(charge, remit)?.hasFailed === false) return undefined
  }
  return undefined
}

/**
 * Remit as it would be if nothing stopped it and nobody was dropped. After the wallet's first failure, in any token, the simulation went
 * on without the wallet, and its pages broke elsewhere. From there on, as behind a stop, remit counts as reaching every due charge.
 */
function ifAllPaid<Blocker>({ chargesOn, stop }: RemitAhead<Blocker>, failsOn: number): RemitAhead<Blocker> {
  if (chargesOn === undefined) return {}
  const lastDay = Math.min(failsOn, stop === undefined ? Number.POSITIVE_INFINITY : stop.dayNumber - 1)
  // On the day of that failure the charge counts towards the page all the same.
  const paid = (charge: SeenCharge) => (charge.hasFailed ? { id: charge.id, hasFailed: false } : charge)
  return { chargesOn: (dayNumber) => (dayNumber > lastDay ? undefined : chargesOn(dayNumber)?.map(paid)) }
}

/** What a charge schedule is told of remit on one day; `undefined` where remit counts as reaching every due charge. */
function remitDay<Blocker>(
  dayNumber: number,
  paused: boolean,
  { chargesOn, stop }: RemitAhead<Blocker>,
): RemitDay<Waits<Blocker> | Skipped> | undefined {
  const shown = chargesOn?.(dayNumber)
  if (stop !== undefined && dayNumber >= stop.dayNumber) {
    return { charges: shown ?? [], others: { kind: 'waits', blockedBy: stop.blockedBy } }
  }
  if (paused) return { charges: [], others: { kind: 'skipped', because: 'tokenPaused' } }
  return shown && { charges: shown, others: { kind: 'skipped', because: 'pageBreak' } }
}

/** Days in order; within a day what remit was seen to charge, then the rest by frequency and due list. */
function inOrder<Blocker>(
  { subscriptions, remit }: PayerOutlookInput<Blocker>,
  charges: readonly OutlookCharge<Blocker>[],
): OutlookCharge<Blocker>[] {
  const usual = [...subscriptions].sort((a, b) => a.frequency - b.frequency).map(({ id }) => id)
  const days = new Map<number, OutlookCharge<Blocker>[]>()
  for (const charge of charges) {
    const sameDay = days.get(charge.dayNumber)
    if (sameDay === undefined) days.set(charge.dayNumber, [charge])
    else sameDay.push(charge)
  }
  const places = placesIn(usual)
  return [...days]
    .sort(([a], [b]) => a - b)
    .flatMap(([dayNumber, sameDay]) => {
      const shown = placesIn((remit?.chargesOn?.(dayNumber) ?? []).map(({ id }) => id))
      const placeOf = ({ id }: OutlookCharge<Blocker>) =>
        shown.get(id) ?? shown.size + (places.get(id) ?? usual.length)
      return sameDay.sort((a, b) => placeOf(a) - placeOf(b))
    })
}

function placesIn(ids: readonly Hex[]): ReadonlyMap<Hex, number> {
  return new Map(ids.map((id, place) => [id, place]))
}
