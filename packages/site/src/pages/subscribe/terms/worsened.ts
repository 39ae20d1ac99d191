import type { SubscribeReadiness } from '@remit/client'

export type Affected = SubscribeReadiness['alsoAffects'][number]

/** How far ahead people plan. */
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

/** Whether with the larger permission one of them would last longer. */
export function isHelped(worse: readonly Affected[], kept: readonly Affected[]): boolean {
  return worse.some(({ id, after }) => {
    const then = kept.find((one) => one.id === id)?.after
    // Who is no longer in the list lasts as long as before.
    if (then === undefined || then.failsOn === null) return true
    return after.failsOn !== null && then.failsOn.dayNumber > after.failsOn.dayNumber
  })
}
