const isNightly = process.env.NIGHTLY === 'true'

/** Long trials may take hours at night. */
const NIGHTLY_MS = 6 * 3_600_000

/** How many random trials a test makes: a few in every run, all of them in `npm run nightly`. */
export function trials(counts: { readonly short: number; readonly nightly: number }): number {
  return isNightly ? counts.nightly : counts.short
}

/** The time that a test with such trials may take, in milliseconds. */
export function trialsTimeoutMs(shortMs: number): number {
  return isNightly ? NIGHTLY_MS : shortMs
}
