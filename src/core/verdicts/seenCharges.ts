import { type Address, getAddress } from 'viem'
import { SimulationUnsupportedError, UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import type { SeenCharge } from '../../protocol/outlook/judgePayer.ts'
import { dueListsBetween } from '../../protocol/remit/remitBacklog.ts'
import type { ChainView } from '../ports/chains.ts'
import type { DueMembers } from '../ports/verdicts.ts'

/** So many days after today are foreseen: a day more than `payment.at_risk` is told ahead. */
export const SEEN_DAYS = 8

/** Calls remit in the simulation. Nobody has its key, so it is no payer, and no token knows it. */
const CALLER = getAddress('0x000000000000000000000000000000000a71d0c5')

/** A first unchecked day that is further back has every due list between itself and today. */
const MOST_DAYS = 366

/** The most questions to the node that looking ahead takes. */
export const SEEN_REQUESTS = 5

/** A node that lacks the method, refuses so much, or takes too long. If it answers nothing at all, the next question says so. */
const CANNOT = [SimulationUnsupportedError, UpstreamError, UpstreamTimeoutError] as const

/** Which charges remit makes on the days to come, whoever is charged. */
export interface SeenCharges {
  /** An account's charges on a day, in remit's order; `undefined` for days that the simulation does not end. */
  on(account: Address, dayNumber: number): readonly SeenCharge[] | undefined
  /** Questions to the node that it took. */
  readonly requests: number
}

/**
 * Simulates remit through the next days where one of them has more members due than one call charges: then a page break may
 * skip some (docs/protocol.md). Elsewhere remit comes to whatever is due, and nothing is asked.
 *
 * Where the node cannot simulate it, nothing is seen.
 * @param lists every due list with members
 */
export async function seeCharges(chain: ChainView, lists: readonly DueMembers[]): Promise<SeenCharges> {
  const { nextUncheckedDay, maxRemits } = await chain.read.protocol()
  const throughDay = chain.today + SEEN_DAYS
  if (!mayBreak(lists, { nextUncheckedDay, throughDay, today: chain.today, maxRemits })) {
    return { on: () => undefined, requests: 1 }
  }
  const remits = await chain.remit.future(CALLER, throughDay, maxRemits).catch((error: unknown) => {
    if (CANNOT.some((kind) => error instanceof kind)) return undefined
    throw error
  })
  const charges = new Map<string, SeenCharge[]>()
  const keyOf = (account: Address, dayNumber: number) => `${dayNumber}:${account}`.toLowerCase()
  for (const { dayNumber, charges: made } of remits?.calls ?? []) {
    for (const { id, subscriber, outcome } of made) {
      const key = keyOf(subscriber, dayNumber)
      const known = charges.get(key)
      const charge = { id, hasFailed: outcome === 'failed' }
      if (known === undefined) charges.set(key, [charge])
      else known.push(charge)
    }
  }
  // Remit passes a day of which nothing is left only together with the next one that is due. Any other stop may go on.
  const beforeDay = remits?.end === 'done' ? throughDay + 1 : (remits?.nextUncheckedDay ?? nextUncheckedDay)
  const isSeen = (dayNumber: number) => dayNumber >= nextUncheckedDay && dayNumber < beforeDay
  return {
    on: (account, dayNumber) =>
      isSeen(dayNumber) ? (charges.get(keyOf(account, dayNumber)) ?? []) : undefined,
    requests: SEEN_REQUESTS,
  }
}

/** Whether a call of remit may break off within a day, or has. */
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
  // Calls of this day may have been made already, and have dropped some of whom they counted.
  if (nextUncheckedDay <= today && dueOn(nextUncheckedDay, nextUncheckedDay) > 0) return true
  const firstDay = Math.max(nextUncheckedDay, throughDay - MOST_DAYS)
  for (let day = firstDay; day <= throughDay; day += 1) {
    if (dueOn(day, day) > maxRemits) return true
  }
  return false
}
