import type { Address } from 'viem'
import type { MembershipState } from '../../../core/ports/chainReads.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { toSharedWith } from '../../../presentation/sharedWith.ts'
import { INFINITE_ALLOWANCE } from '../../../protocol/allowance.ts'
import type { Issue, Warning } from '../../../schema/answer.ts'
import { counted, inWords, quantityFact, tokenWord } from '../answer/preconditions.ts'

/**
 * Every precondition of leaving that fails. A subscriber can always leave, even where the subscription is cancelled or
 * the token is paused.
 */
export function leaveIssues({ terms, status, isSubscribed }: MembershipState, account: Address): Issue[] {
  if (isSubscribed) return []
  const why = {
    ACTIVE: 'It never subscribed to this.',
    CANCELLED: 'The subscription was cancelled, and its subscribers were paid out and taken off.',
    UNSUBSCRIBED: 'It has unsubscribed, or was taken off when a payment failed.',
  }
  const message = `${account} is not an active subscriber. ${why[status]}`
  return [{ code: 'NOT_SUBSCRIBED', message, id: terms.id, subscriber: account }]
}

/** Warns where an allowance remains after the account has left. */
export function allowanceRemains(state: MembershipState, account: Address): Warning[] {
  const { terms, token, wallet } = state
  if (wallet.allowance === 0n) return []
  const { sharedWith, sharedWithCount } = drawingOn(state)
  const much =
    wallet.allowance < INFINITE_ALLOWANCE ? inWords(wallet.allowance, token) : `any ${tokenWord(token)}`
  const shared =
    sharedWithCount === 0
      ? ''
      : `, which also pays for ${counted(sharedWithCount, 'other active subscription')}`
  const ends = sharedWithCount === 0 ? '' : ' and ends what it pays for'
  return [
    {
      code: 'ALLOWANCE_REMAINS',
      message:
        `The protocol may still take ${much} of ${account}${shared}: prepare_revoke_allowance ` +
        `(POST /prepare/revoke_allowance) sets that to 0${ends}.`,
      token: terms.token,
      allowance: quantityFact(wallet.allowance, token),
      sharedWith,
      sharedWithCount,
    },
  ]
}

/** The account's other subscriptions that are paid from the same allowance. */
export function drawingOn({ terms, memberships, dueOrder }: MembershipState) {
  const others = memberships.filter(
    (row) => isCharged(row) && row.terms.token === terms.token && row.terms.id !== terms.id,
  )
  return toSharedWith(others, dueOrder)
}
