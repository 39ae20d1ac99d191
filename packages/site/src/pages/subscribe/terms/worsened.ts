import type { SubscribeReadiness } from '@remit/client'

/** Another subscription of the wallet, with how long money and permission last for it before and after subscribing. */
export type Affected = SubscribeReadiness['alsoAffects'][number]

/** What ends later than this is not told: nobody plans so far ahead. */
const YEAR_DAYS = 365

/** The wallet's other subscriptions that would end sooner by this one, and within a year. */
export function worsened(
  { alsoAffects }: Pick<SubscribeReadiness, 'alsoAffects'>,
  today: number,
): readonly Affected[] {
  return alsoAffects.filter(({ before, after }) => {
    const end = after.failsOn?.dayNumber
    if (end === undefined || end > today + YEAR_DAYS) return false
    return before.failsOn === null || end < before.failsOn.dayNumber
  })
}

/** Whether one of them would last longer with the larger permission. @param kept what is affected with that one */
export function isHelped(worse: readonly Affected[], kept: readonly Affected[]): boolean {
  return worse.some(({ id, after }) => {
    const then = kept.find((one) => one.id === id)?.after
    // A subscription that is no longer in the list lasts as long as before.
    if (then === undefined || then.failsOn === null) return true
    return after.failsOn !== null && then.failsOn.dayNumber > after.failsOn.dayNumber
  })
}
