import type { SeenCharge } from '@remit/protocol/charges/ChargeSchedule'
import { chargesOf } from '@remit/protocol/outlook/PackedCharges'
import { dueListsBetween } from '@remit/protocol/remit/remitState'
import type { Address } from 'viem'
import { ForecastUnavailableError } from '../errors/chain.ts'
import type { ChainView } from '../ports/chains.ts'
import type { DueMembers } from '../ports/verdicts.ts'

/**
 * How many days after today are looked at: one more than the seven (`AT_RISK_DAYS`) before its due day at which
 * `payment.at_risk` is told.
 */
export const SEEN_DAYS = 8

/** How far back days are looked at. Within so many days every due list has its day, so a longer backlog shows nothing else. */
const MOST_DAYS = 366

/** The most questions to the node that looking ahead takes. */
export const SEEN_REQUESTS = 5

/** Which charges remit makes on the days to come, whoever is charged. */
export interface SeenCharges {
  /** An account's charges on a day, in remit's order; `undefined` for days that the simulation does not end. */
  on(account: Address, dayNumber: number): readonly SeenCharge[] | undefined
  /** Questions to the node that it took. */
  readonly requests: number
}

/**
 * What the chain's forecast says of the next days where one of them has more members due than one call charges: then a
 * page break may skip some (docs/protocol.md). Elsewhere remit reaches every due charge, and no forecast is asked for.
 *
 * Without a forecast, no charge counts as seen.
 * @param lists every due list with members
 */
export async function seeCharges(chain: ChainView, lists: readonly DueMembers[]): Promise<SeenCharges> {
  const { nextUncheckedDay, maxRemits } = await chain.read.protocol()
  const throughDay = chain.today + SEEN_DAYS
  if (!mayBreak(lists, { nextUncheckedDay, throughDay, today: chain.today, maxRemits })) {
    return { on: () => undefined, requests: 1 }
  }
  // It must be made here or later: an older one would say that remit passes over a wallet that joined since.
  const forecast = await chain.forecast(throughDay, { isCurrent: true }).catch((error: unknown) => {
    if (error instanceof ForecastUnavailableError) return undefined
    throw error
  })
  if (forecast === undefined) return { on: () => undefined, requests: SEEN_REQUESTS }
  const { fromDay, beforeDay, charges } = forecast
  return {
    on: (account, dayNumber) =>
      dayNumber >= fromDay && dayNumber < beforeDay && dayNumber <= throughDay
        ? chargesOf(charges, account).filter((charge) => charge.dayNumber === dayNumber)
        : undefined,
    requests: SEEN_REQUESTS,
  }
}

/** Whether a call of remit may break off within a day (a page break: it has charged maxRemits subscribers), or has. */
function mayBreak(
  lists: readonly DueMembers[],
  days: {
    readonly nextUncheckedDay: number
    readonly throughDay: number
    readonly today: number
    readonly maxRemits: number
  },
): boolean {
  const { nextUncheckedDay, throughDay, today, maxRemits } = days
  const members = new Map(lists.map((list) => [`${list.frequency}:${list.dueDay}`, list.members]))
  const dueOn = (fromDay: number, toDay: number) =>
    dueListsBetween(fromDay, toDay).reduce(
      (sum, { frequency, dueDay }) => sum + (members.get(`${frequency}:${dueDay}`) ?? 0),
      0,
    )
  // Calls of this day may have been made already, and have dropped members: those who are left may fit into one call on a day that broke off.
  if (nextUncheckedDay <= today && dueOn(nextUncheckedDay, nextUncheckedDay) > 0) return true
  const firstDay = Math.max(nextUncheckedDay, throughDay - MOST_DAYS)
  for (let day = firstDay; day <= throughDay; day += 1) {
    if (dueOn(day, day) > maxRemits) return true
  }
  return false
}
