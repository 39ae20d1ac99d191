import type { MembershipState } from '../core/ports/chainReads.ts'
import type { MemberRecord } from '../core/ports/history.ts'
import { dayNumberAt } from '../protocol/calendar.ts'
import { type MembershipLife, memberState } from '../protocol/entitlement.ts'

/** A membership as its rules see it, from its record in the index and the chain's state at the same block. */
export function membershipLife(
  record: MemberRecord,
  { terms, settings }: Pick<MembershipState, 'terms' | 'settings'>,
): MembershipLife {
  return {
    frequency: terms.frequency,
    dueDay: terms.dueDay,
    state: memberState(record.ended?.kind ?? null),
    joinedDay: dayNumberAt(record.joined.timestamp),
    uncheckedAtJoin: record.uncheckedAtJoin,
    lastPaidDay: record.lastPaidDay,
    unchecked: record.ended === null ? settings.nextUncheckedDay : record.uncheckedAtEnd,
  }
}
