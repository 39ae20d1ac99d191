import type { Standing } from '../../../core/ports/chainReads.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { isoTime } from '../../../presentation/day.ts'
import type { Warning } from '../../../schema/answer.ts'
import { dayEndsSoon, endsSoon, midnightAfter } from '../answer/dayEndsSoon.ts'
import { inWords, quantityFact } from '../answer/preconditions.ts'
import type { SubscribeAllowance } from './subscribeAllowance.ts'
import { subscribeWarnings } from './subscribeIssues.ts'

/**
 * Warns where midnight is near and subscribing takes another amount after it.
 * @param today the charge of today
 * @param after the charge of tomorrow
 */
export function subscribeAfterMidnight(
  chain: ChainView,
  state: Standing,
  { today, after }: Record<'today' | 'after', SubscribeAllowance['firstCharge']>,
): Warning[] {
  const { token } = state
  const chargesNow = subscribeWarnings(state, chain.today).length > 0
  const chargesThen = subscribeWarnings(state, chain.today + 1).length > 0
  const isSame = today.toFeeBalance === after.toFeeBalance && today.toProvider === after.toProvider
  if (!endsSoon(chain) || (isSame && chargesNow === chargesThen)) return []
  const words = ({ toFeeBalance, toProvider }: SubscribeAllowance['firstCharge']) =>
    `${inWords(toFeeBalance, token)} for fees and ${inWords(toProvider, token)} for the provider`
  const message =
    `This holds until ${isoTime(midnightAfter(chain))}. Mined after that, subscribing takes ${words(after)} at once; ` +
    `before it, ${words(today)}.`
  const backlog =
    chargesThen && !chargesNow ? ' After that, too, the next remit charges a full period at once.' : ''
  return [
    dayEndsSoon(chain, `${message}${backlog}`, {
      token: token.address,
      firstChargeAfter: {
        toFeeBalance: quantityFact(after.toFeeBalance, token),
        toProvider: quantityFact(after.toProvider, token),
      },
      backlogChargeAfter: chargesThen,
    }),
  ]
}
