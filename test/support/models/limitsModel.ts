import type { Demand, Rule, Usage } from '@remit/service/testing/access/limits/counters'

const DAY = 86_400_000_000

/** Limits as plainly as they can be said: a list of every admission, counted anew for every decision. */
export function limitsModel() {
  let admissions: { identity: string; bucket: string; atMicros: number }[] = []

  /** When those that count were admitted, oldest first. */
  function counted(identity: string, { bucket, windowMs }: Demand, atMicros: number): number[] {
    const counts = (then: number) =>
      windowMs === 'day'
        ? Math.floor(then / DAY) === Math.floor(atMicros / DAY)
        : then > atMicros - windowMs * 1000
    return admissions
      .filter((one) => one.identity === identity && one.bucket === bucket && counts(one.atMicros))
      .map((one) => one.atMicros)
  }

  function usage(identity: string, demand: Demand, atMicros: number): Usage {
    const { limit, windowMs } = demand
    const times = counted(identity, demand, atMicros)
    const used = times.length
    if (windowMs === 'day') return { used, freesInMs: (DAY - (atMicros % DAY)) / 1000 }
    // With more than the limit admitted, as many must expire first.
    const leaving = times[Math.max(0, used - limit)]
    return { used, freesInMs: leaving === undefined ? 0 : (leaving + windowMs * 1000 - atMicros) / 1000 }
  }

  return {
    usage,
    /** Whether it is admitted; then it is noted. */
    take(identity: string, demands: readonly Demand[], rule: Rule, atMicros: number): boolean {
      const admitted =
        rule === 'always' || demands.every((demand) => usage(identity, demand, atMicros).used < demand.limit)
      if (admitted) admissions.push(...demands.map(({ bucket }) => ({ identity, bucket, atMicros })))
      return admitted
    },
    giveBack(identity: string, demands: readonly Demand[], atMicros: number): void {
      for (const { bucket } of demands) {
        const given = admissions.findIndex(
          (one) => one.identity === identity && one.bucket === bucket && one.atMicros === atMicros,
        )
        admissions = admissions.toSpliced(given, given === -1 ? 0 : 1)
      }
    },
  }
}
