import type { Demand, Rule } from '../../../src/access/limits/counters.ts'

const DAY = 86_400_000_000

/** Limits as plainly as they can be said: a list of every admission, counted anew for every decision. */
export function limitsModel() {
  let admissions: { identity: string; bucket: string; atMicros: number }[] = []

  function used(identity: string, { bucket, windowMs }: Demand, atMicros: number): number {
    const counts = (then: number) =>
      windowMs === 'day'
        ? Math.floor(then / DAY) === Math.floor(atMicros / DAY)
        : then > atMicros - windowMs * 1000
    return admissions.filter(
      (one) => one.identity === identity && one.bucket === bucket && counts(one.atMicros),
    ).length
  }

  return {
    used,
    /** Whether it is admitted; then it is noted. */
    take(identity: string, demands: readonly Demand[], rule: Rule, atMicros: number): boolean {
      const admitted =
        rule === 'always' || demands.every((demand) => used(identity, demand, atMicros) < demand.limit)
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
