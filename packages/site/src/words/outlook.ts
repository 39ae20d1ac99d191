import type { Covers, GetAccountOutlookAnswer } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import type { Day } from './time.ts'

type Counts = Pick<GetAccountOutlookAnswer['counts'], 'charges' | 'pays'>

/**
 * The last day that is paid for by the money and the permission that are there: the day before the first payment that
 * would fail. `undefined` where the next payment fails, and where none does.
 */
export function coveredThrough({ periods, failsOn }: Pick<Covers, 'periods' | 'failsOn'>): Day | undefined {
  return periods === 0 || failsOn === null ? undefined : dayBefore(failsOn)
}

/** Ten years: further ahead no day is named. */
export const FAR_DAYS = 3_653

/** The day before a payment that would fail. */
export function dayBefore({ dayNumber }: Pick<Day, 'dayNumber'>): Day {
  return { dayNumber: dayNumber - 1, date: dateOf(dayNumber - 1) }
}

/** How many of a forecast's payments money and permission cover, as the subject of a sentence with its verb. */
export function coveredWords({ charges, pays }: Counts): { readonly which: string; readonly verb: string } {
  const verb = pays === 1 ? 'is' : 'are'
  if (pays < charges) return { which: pays === 1 ? 'One payment' : `${pays} payments`, verb }
  return { which: pays === 1 ? 'The one payment' : `All ${pays} payments`, verb }
}

/** A sentence about payments whose due day the contract passes over. */
export function skippedWords(count: number): string {
  return `${count === 1 ? 'One payment is' : `${count} payments are`} passed over and never collected.`
}
