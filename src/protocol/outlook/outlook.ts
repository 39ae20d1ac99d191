import type { Address, Hex } from 'viem'
import type { ChargedSubscription } from '../coverage/ChargeAmounts.ts'
import { ChargeSchedule, type RemitDay } from '../coverage/ChargeSchedule.ts'
import type { ChargeVerdict, Means, Missing } from './decideCharge.ts'

/**
 * What becomes of one due charge.
 *
 * - `pays`, `fails`: remit comes to it. Where it fails, remit drops the subscriber for good.
 * - `waits`: remit itself reverts from its day on, or from a day before it. Nobody is charged and nobody dropped.
 * - `skipped`: remit passes the day and charges nothing for it, for good.
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

/** What is known about remit, whoever is charged. */
export interface RemitAhead<Blocker> {
  /**
   * The wallet's charges that remit makes on a day, in its order, as a simulation of remit has shown. `undefined` for
   * days that it did not show: there remit comes to whatever is due.
   */
  readonly chargesOn?: (dayNumber: number) => readonly Hex[] | undefined
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
  /** What it takes; 0 where it does not pay. */
  readonly taken: bigint
  readonly verdict: Verdict<Blocker>
}

/** How one token's allowance and balance last up to the last day. */
export interface TokenOutlook {
  readonly token: Address
  readonly means: Means
  /** The first charge that fails. */
  readonly firstFailure: { readonly id: Hex; readonly dayNumber: number } | undefined
  /** The least that each must grow by today, so that every charge up to the last day pays. */
  readonly toAdd: Missing
}

export interface PayerOutlook<Blocker> {
  /** In the order in which remit takes them. */
  readonly charges: readonly OutlookCharge<Blocker>[]
  readonly tokens: readonly TokenOutlook[]
}

/**
 * Every charge of one wallet up to a day, as remit will take it.
 *
 * The state is today's: money that comes in is not counted, and nobody subscribes, leaves or approves anything. Tokens
 * do not share allowance or balance, so each is walked by itself.
 */
export function outlookOf<Blocker>(input: PayerOutlookInput<Blocker>): PayerOutlook<Blocker> {
  const walks = input.tokens.map((token) => walkToken(input, token))
  const charges = inOrder(
    input,
    walks.flatMap((walk) => walk.charges),
  )
  return { charges, tokens: walks.map(({ outlook }) => outlook) }
}

function walkToken<Blocker>(
  input: PayerOutlookInput<Blocker>,
  { token, decimals, paused, means }: PayerToken,
): { charges: OutlookCharge<Blocker>[]; outlook: TokenOutlook } {
  const { callerFee, nextUncheckedDay, throughDay, remit = {} } = input
  const subscriptions = input.subscriptions.filter((subscription) => subscription.token === token)
  const walk = (own: Means, ahead: RemitAhead<Blocker>) => {
    const remitOn = (dayNumber: number) => remitDay(dayNumber, paused, ahead)
    const schedule = { subscriptions, decimals, callerFee, nextUncheckedDay, means: own, remitOn }
    return new ChargeSchedule<Waits<Blocker> | Skipped>(schedule).through(throughDay)
  }
  const charges = [...walk(means, remit)].map(({ id, dayNumber, full, taken, verdict }) => {
    return { id, token, dayNumber, full, taken, verdict }
  })
  const failure = charges.find(({ verdict }) => verdict.kind === 'fails')
  const firstFailure = failure && { id: failure.id, dayNumber: failure.dayNumber }

  // With endless means, each charge shows what it and those before it need. What waits will be charged some day.
  let [spent, needed] = [0n, 0n]
  for (const { full, taken, verdict } of walk(ENDLESS, ifAllPaid(remit, failure?.dayNumber))) {
    if (verdict.kind === 'pays' && spent + full > needed) needed = spent + full
    spent += taken
  }
  const beyond = (held: bigint | null) => (held === null || held >= needed ? 0n : needed - held)
  const toAdd = { allowance: beyond(means.allowance), balance: beyond(means.balance) }
  return { charges, outlook: { token, means, firstFailure, toAdd } }
}

const ENDLESS: Means = { allowance: null, balance: null }

/**
 * Remit as it would be if nothing stopped it and nobody was dropped. What was seen after the wallet's first failure was seen
 * without it: there, as behind a stop, remit comes to whatever is due.
 */
function ifAllPaid<Blocker>(
  { chargesOn, stop }: RemitAhead<Blocker>,
  failsOn = Number.POSITIVE_INFINITY,
): RemitAhead<Blocker> {
  if (chargesOn === undefined) return {}
  const lastDay = Math.min(failsOn, stop === undefined ? Number.POSITIVE_INFINITY : stop.dayNumber - 1)
  return { chargesOn: (dayNumber) => (dayNumber > lastDay ? undefined : chargesOn(dayNumber)) }
}

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
      const shown = placesIn(remit?.chargesOn?.(dayNumber) ?? [])
      const placeOf = ({ id }: OutlookCharge<Blocker>) =>
        shown.get(id) ?? shown.size + (places.get(id) ?? usual.length)
      return sameDay.sort((a, b) => placeOf(a) - placeOf(b))
    })
}

function placesIn(ids: readonly Hex[]): ReadonlyMap<Hex, number> {
  return new Map(ids.map((id, place) => [id, place]))
}
