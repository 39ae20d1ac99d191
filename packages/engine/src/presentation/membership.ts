import { toRaw } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { isWholePeriod, type MembershipLife, memberState } from '@remit/protocol/entitlement'
import type { MembershipState, ProtocolSettings, TokenFacts } from '../ports/chainReads.ts'
import type { IndexedPayment, MemberRecord } from '../ports/history.ts'

/**
 * A membership as the rules of entitlement see it (protocol/entitlement.ts): who is paid up, and until when. It is made from
 * the index's record and the chain's state at the same block.
 */
export function membershipLife(
  record: Pick<MemberRecord, 'lastPaidDay' | 'uncheckedAtEnd'> & {
    readonly joined: Pick<IndexedPayment, 'timestamp' | 'toProvider' | 'toFeeBalance'>
    readonly ended: Pick<IndexedPayment, 'kind'> | null
  },
  {
    terms,
    token,
    settings,
  }: Pick<MembershipState, 'terms'> & {
    readonly token: Pick<TokenFacts, 'decimals'>
    readonly settings: Pick<ProtocolSettings, 'nextUncheckedDay'>
  },
): MembershipLife {
  const { toProvider, toFeeBalance } = record.joined
  return {
    frequency: terms.frequency,
    dueDay: terms.dueDay,
    state: memberState(record.ended?.kind ?? null),
    joinedDay: dayNumberAt(record.joined.timestamp),
    isPaidAtJoin: isWholePeriod(toProvider + toFeeBalance, toRaw(terms.amount, token.decimals)),
    lastPaidDay: record.lastPaidDay,
    unchecked: record.ended === null ? settings.nextUncheckedDay : record.uncheckedAtEnd,
  }
}
