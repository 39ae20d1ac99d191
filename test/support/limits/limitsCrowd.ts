import type { Counters, Demand } from '@remit/service/testing/access/limits/counters'
import { expect } from 'vitest'

/** One decision as it was given: whose, whether, when by the clock that counts. */
export type Decided = readonly [identity: string, admitted: boolean, atMicros: number]

/** Windows short enough to slide many times within a run, and a day's limit that some of them reach. */
export const CROWD_DEMANDS: Readonly<Record<string, readonly Demand[]>> = {
  ada: [{ bucket: 'minute', limit: 20, windowMs: 150 }],
  bob: [
    { bucket: 'minute', limit: 40, windowMs: 200 },
    { bucket: 'scarce', limit: 7, windowMs: 90 },
    { bucket: 'daily', limit: 1_000_000, windowMs: 'day' },
  ],
  cyd: [
    { bucket: 'minute', limit: 100, windowMs: 100 },
    { bucket: 'daily', limit: 500, windowMs: 'day' },
  ],
  dan: [{ bucket: 'minute', limit: 1, windowMs: 30 }],
}

/** As long as it takes for every window to slide a few times. */
const LEAST_MS = 1_000

/** Every taker takes one after the other, all of them at once, from everybody's buckets in turn. */
export async function takeConcurrently(takers: readonly Counters[], takes: number): Promise<Decided[]> {
  const identities = Object.keys(CROWD_DEMANDS)
  const decided: Decided[] = []
  const begunAt = performance.now()
  let begun = 0
  await Promise.all(
    takers.map(async (counters) => {
      while (begun < takes || performance.now() - begunAt < LEAST_MS) {
        const identity = identities[begun % identities.length] ?? ''
        begun += 1
        const { admitted, atMicros } = await counters.take(
          identity,
          CROWD_DEMANDS[identity] ?? [],
          'all-or-nothing',
        )
        decided.push([identity, admitted, atMicros])
      }
    }),
  )
  return decided
}

/** Proves from the decisions alone that no limit was passed in any window, and none refused that had room. */
export function expectExact(decided: readonly Decided[]): void {
  for (const [identity, demands] of Object.entries(CROWD_DEMANDS)) {
    const own = decided.filter(([whose]) => whose === identity)
    const times = (admitted: boolean) =>
      own.filter(([, one]) => one === admitted).map(([, , atMicros]) => atMicros)
    const admissions = times(true).toSorted((a, b) => a - b)
    const windows = demands.map(({ limit, windowMs }) => ({
      limit,
      micros: windowMs === 'day' ? Number.POSITIVE_INFINITY : windowMs * 1000,
    }))
    for (const { limit, micros } of windows) {
      for (let last = limit; last < admissions.length; last += 1) {
        const spanned = (admissions[last] ?? 0) - (admissions[last - limit] ?? 0)
        if (spanned < micros) expect.fail(`${identity}: ${limit + 1} within ${spanned} µs`)
      }
    }
    for (const atMicros of times(false)) {
      const spent = windows.some(
        ({ limit, micros }) =>
          admissions.filter((time) => time <= atMicros && time > atMicros - micros).length >= limit,
      )
      if (!spent) expect.fail(`${identity}: refused at ${atMicros} with room in every limit`)
    }
    // Otherwise nothing was tried: both outcomes, and windows that slid.
    expect(times(false).length, identity).toBeGreaterThan(100)
    expect(admissions.length, identity).toBeGreaterThan(2 * Math.min(...windows.map(({ limit }) => limit)))
  }
}
