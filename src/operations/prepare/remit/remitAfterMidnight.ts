import type { Hex } from 'viem'
import type { ChainView } from '../../../core/ports/chains.ts'
import { ViewFailedError } from '../../../errors/chain.ts'
import { isoTime, toDay } from '../../../presentation/day.ts'
import { dueDayOn } from '../../../protocol/calendar.ts'
import { FREQUENCIES } from '../../../protocol/subscription.ts'
import type { Warning } from '../../../schema/answer.ts'
import { dayEndsSoon, endsSoon, midnightAfter } from '../answer/dayEndsSoon.ts'
import { counted } from '../answer/preconditions.ts'

/** Due subscriptions that the warning names. */
const MOST_NAMED = 20

/** Warns where midnight is near and more subscriptions are due after it. Reads nothing at other times. */
export async function remitAfterMidnight(chain: ChainView): Promise<Warning[]> {
  if (!endsSoon(chain)) return []
  const lists = FREQUENCIES.map((frequency) => ({ frequency, ...dueDayOn(chain.today + 1, frequency) }))
  const until = `This holds until ${isoTime(midnightAfter(chain))}. After that,`
  const { date } = toDay(chain.today + 1)
  const due = await chain.read.due(lists.filter(({ skipped }) => !skipped)).catch((error: unknown) => {
    if (!(error instanceof ViewFailedError)) throw error
    return undefined
  })
  if (due === undefined) {
    return [
      dayEndsSoon(chain, `${until} remit also charges what is due on ${date}, which cannot be read.`, {}),
    ]
  }
  const ids: readonly Hex[] = due.flatMap(({ subscriptionIds }) => subscriptionIds)
  if (ids.length === 0) return []
  const message =
    `${until} ${counted(ids.length, 'subscription')} of ${date} can be charged as well, by further calls of ` +
    'remit().'
  return [dayEndsSoon(chain, message, { dueAfter: ids.length, subscriptionIds: ids.slice(0, MOST_NAMED) })]
}
