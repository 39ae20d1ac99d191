import type { Hex } from 'viem'
import type { Standing } from '../../../core/ports/chainReads.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { isoTime, toDay } from '../../../presentation/day.ts'
import { dueDayOn, SECONDS_PER_DAY } from '../../../protocol/calendar.ts'
import { FREQUENCIES } from '../../../protocol/subscription.ts'
import type { Warning } from '../../../schema/answer.ts'
import type { SubscribeAllowance } from '../subscribe/subscribeAllowance.ts'
import { subscribeWarnings } from '../subscribe/subscribeIssues.ts'
import { counted, inWords, quantityFact } from './preconditions.ts'

/** What is signed so near to midnight may be mined after it. */
const SOON_SECONDS = 600

/** Due subscriptions that a warning names. */
const MOST_NAMED = 20

/** The next midnight UTC by the chain's clock: proration and due days change then. */
export function midnightAfter({ today }: Pick<ChainView, 'today'>): number {
  return (today + 1) * SECONDS_PER_DAY
}

/** Whether an answer about today holds for less than ten minutes. */
export function endsSoon(chain: Pick<ChainView, 'today' | 'now'>): boolean {
  return midnightAfter(chain) - chain.now < SOON_SECONDS
}

/**
 * What subscribing takes where it is mined after midnight, if that is soon and not the same.
 * @param today the charge of today
 * @param after the charge of the day that begins then
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
    warningOf(chain, `${message}${backlog}`, {
      token: token.address,
      firstChargeAfter: {
        toFeeBalance: quantityFact(after.toFeeBalance, token),
        toProvider: quantityFact(after.toProvider, token),
      },
      backlogChargeAfter: chargesThen,
    }),
  ]
}

/** What is due from midnight on, where that is soon: costs no read otherwise. */
export async function remitAfterMidnight(chain: ChainView): Promise<Warning[]> {
  if (!endsSoon(chain)) return []
  const lists = FREQUENCIES.map((frequency) => ({ frequency, ...dueDayOn(chain.today + 1, frequency) }))
  const due = await chain.read.due(lists.filter(({ skipped }) => !skipped))
  const ids: readonly Hex[] = due.flatMap(({ subscriptionIds }) => subscriptionIds)
  if (ids.length === 0) return []
  const message =
    `This holds until ${isoTime(midnightAfter(chain))}. After that, ${counted(ids.length, 'subscription')} of ` +
    `${toDay(chain.today + 1).date} can be charged as well, by further calls of remit().`
  return [warningOf(chain, message, { dueAfter: ids.length, subscriptionIds: ids.slice(0, MOST_NAMED) })]
}

function warningOf(chain: ChainView, message: string, facts: Record<string, unknown>): Warning {
  const dayAfter = toDay(chain.today + 1)
  return { code: 'DAY_ENDS_SOON', message, validUntil: midnightAfter(chain), dayAfter, ...facts }
}
