import { toRaw } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { isWholePeriod, type MembershipLife, memberState } from '@remit/protocol/entitlement'
import type { MembershipState, ProtocolSettings, TokenFacts } from '../ports/chainReads.ts'
import type { IndexedPayment, MemberRecord } from '../ports/history.ts'

/**
 * What the rules of entitlement (protocol/entitlement.ts) need to know of a membership. They calculate from it until when the
 * membership is paid.
 * @param record of the index: what happened since the account subscribed last
 * @param state of the chain at the index's block
 */
export function membershipLife(
  record: Pick<MemberRecord, 'lastPaidDay' | 'uncheckedAtEnd'> & {
    readonly joined: Pick<IndexedPayment, 'timestamp' | 'toProvider' | 'toFeeBalance'>
    readonly ended: Pick<IndexedPayment, 'kind'> | null
  },
  state: Pick<MembershipState, 'terms'> & {
    readonly token: Pick<TokenFacts, 'decimals'>
    readonly settings: Pick<ProtocolSettings, 'nextUncheckedDay'>
  },
): MembershipLife {
  const { terms, token, settings } = state
  const { toProvider, toFeeBalance } = record.joined
  return {
    frequency: terms.frequency,
    dueDay: terms.dueDay,
    state: memberState(record.ended?.kind ?? null),
    joinedDay: dayNumberAt(record.joined.timestamp),
    // Both parts of the first charge together are compared with a full period.
    isPaidAtJoin: isWholePeriod(toProvider + toFeeBalance, toRaw(terms.amount, token.decimals)),
    lastPaidDay: record.lastPaidDay,
    // The first day that remit has not finished: now, or for an ended membership when it ended.
    unchecked: record.ended === null ? settings.nextUncheckedDay : record.uncheckedAtEnd,
  }
}
