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
  /** The first day that remit has not checked: now, or when the membership ended. */
  readonly unchecked: number
}

/** The state after a membership's end; `active` if it has not ended. */
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
 * Whether subscribing on a due day took the whole period. Then remit has finished that day. Otherwise the contract
 * takes the caller's fee alone, a twelfth of the period at most, and remit will take the period (docs/protocol.md). A
 * token may keep a part of what it moves.
 */
export function isWholePeriod(taken: bigint, full: bigint): boolean {
  return 2n * taken >= full
}

/**
 * The last day that is paid for; `null` past the calendar's end.
 *
 * That is the day before the due day that follows the last paid one. A due day that remit passed without charging counts as
 * paid. After subscribing it is the day before the next due day; or the day itself, where that is due and remit will still
 * charge it. A payment for an older day takes nothing back.
 */
export function paidThrough(life: MembershipLife): number | null {
  const { frequency, dueDay, joinedDay, isPaidAtJoin, lastPaidDay, unchecked } = life
  const dayBeforeDue = (fromDay: number) => {
    const due = nextDueDay(frequency, dueDay, fromDay)
    return due === undefined ? Number.POSITIVE_INFINITY : due - 1
  }
  const isDueOnJoin = nextDueDay(frequency, dueDay, joinedDay) === joinedDay
  const byJoining = isDueOnJoin && !isPaidAtJoin ? joinedDay : dayBeforeDue(joinedDay + 1)
  const byPayment = lastPaidDay === null ? byJoining : dayBeforeDue(lastPaidDay + 1)
  const byPassing = dayBeforeDue(unchecked)
  const last = Math.max(byJoining, byPayment, byPassing)
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
