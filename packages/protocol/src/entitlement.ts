/** Until when a membership is paid, and whether its account may use what it pays for: what member lists, passes and gates say. */

import { nextDueDay } from './calendar.ts'
import type { PaymentKind } from './payments/Payment.ts'
import type { Frequency } from './subscription.ts'

/** What became of a membership. */
export const MEMBER_STATES = ['active', 'left', 'removed', 'dropped', 'cancelled'] as const

export type MemberState = (typeof MEMBER_STATES)[number]

/** A membership since the account subscribed last. Days are day numbers (unix time / 86400). */
export interface MembershipLife {
  readonly frequency: Frequency
  readonly dueDay: number
  readonly state: MemberState
  readonly joinedDay: number
  /** Whether subscribing took a whole period, where it was on a due day. */
  readonly isPaidAtJoin: boolean
  /** The newest due day that remit charged since; `null` where it has charged none. */
  readonly lastPaidDay: number | null
  /** The first day that remit had not checked yet: as of now, or of an ended membership as of its end. */
  readonly unchecked: number
}

/** The state of a membership, by what ended it; `active` if nothing has. */
export function memberState(ended: PaymentKind | null): MemberState {
  switch (ended) {
    case null:
      return 'active'
    case 'left':
    case 'removed':
    case 'dropped':
      return ended
    default:
      return 'cancelled'
  }
}

/**
 * Whether subscribing on a due day took the whole period. It does where remit had finished that day before, and so will not charge it any
 * more. Else it takes the caller's fee alone, a twelfth of the period at most, and remit charges the period later (docs/protocol.md). Half
 * is the line between the two, because a token may keep a part of what it moves.
 */
export function isWholePeriod(taken: bigint, full: bigint): boolean {
  return 2n * taken >= full
}

type Schedule = Pick<MembershipLife, 'frequency' | 'dueDay'>

/** The last day that the payment of a due day pays for: the day before the next due day; `null` past the calendar's end. */
export function paidByPeriod({ frequency, dueDay }: Schedule, day: number): number | null {
  const next = nextDueDay(frequency, dueDay, day + 1)
  return next === undefined ? null : next - 1
}

/**
 * The last day that subscribing pays for: the day before the next due day; or the day itself, where that is due and remit
 * will still charge it. `null` past the calendar's end.
 */
export function paidByJoining(
  life: Pick<MembershipLife, 'frequency' | 'dueDay' | 'joinedDay' | 'isPaidAtJoin'>,
): number | null {
  const { frequency, dueDay, joinedDay, isPaidAtJoin } = life
  const isDueOnJoin = nextDueDay(frequency, dueDay, joinedDay) === joinedDay
  return isDueOnJoin && !isPaidAtJoin ? joinedDay : paidByPeriod(life, joinedDay)
}

/**
 * The last day that is paid for; `null` past the calendar's end.
 *
 * That is the day before the due day that follows the last paid one. A due day that remit passed without charging counts as
 * paid. A payment for an older day takes nothing back.
 */
export function paidThrough(life: MembershipLife): number | null {
  const { lastPaidDay, unchecked } = life
  const days = [
    paidByJoining(life),
    ...(lastPaidDay === null ? [] : [paidByPeriod(life, lastPaidDay)]),
    paidByPeriod(life, unchecked - 1),
  ].map((day) => day ?? Number.POSITIVE_INFINITY)
  const last = Math.max(...days)
  return Number.isFinite(last) ? last : null
}

/**
 * The last day on which an ended membership is still entitled: the provider may grant days after the last paid one.
 * `null` past the calendar's end.
 * @param lastPaid as `paidThrough` gives it
 */
export function lastDayOfGrace(lastPaid: number | null, graceDays: number): number | null {
  return lastPaid === null ? null : lastPaid + graceDays
}

/**
 * Whether the account may use what it subscribes to.
 *
 * An active member may, also while remit is behind: the next charge decides, and a charge that fails drops it in the same
 * transaction. Whoever left, was removed or whose provider cancelled may until the last paid day, and some days more if the
 * provider grants them. Whoever was dropped may not.
 * @param today the day of the chain's clock
 */
export function isEntitled(
  { state, paidThrough: last }: { readonly state: MemberState; readonly paidThrough: number | null },
  { today, graceDays }: { readonly today: number; readonly graceDays: number },
): boolean {
  if (state === 'active') return true
  if (state === 'dropped') return false
  const lastDay = lastDayOfGrace(last, graceDays)
  return lastDay === null || today <= lastDay
}
