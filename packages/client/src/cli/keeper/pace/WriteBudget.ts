/** How many prepares the service allows one caller, from its catalog. */
export interface WriteLimits {
  readonly perMinute: number
  /** A UTC day of the wall's clock. */
  readonly perDay: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Counts prepares as the service counts them, so that the service does not have to refuse any. */
export class WriteBudget {
  readonly #limits: WriteLimits
  #asked: { readonly atMs: number; isCounted: boolean }[] = []

  constructor(limits: WriteLimits) {
    this.#limits = limits
  }

  /** Milliseconds until the next prepare is allowed; 0 means now. */
  waitMs(nowMs: number): number {
    const { perMinute, perDay } = this.#limits
    const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS
    this.#asked = this.#asked.filter(({ atMs }) => atMs >= Math.min(midnight, nowMs - MINUTE_MS))
    const today = this.#asked.filter(({ atMs, isCounted }) => isCounted && atMs >= midnight)
    if (today.length >= perDay) return midnight + DAY_MS - nowMs
    const lately = this.#asked.filter(({ atMs }) => atMs > nowMs - MINUTE_MS)
    const oldest = lately.at(-perMinute)
    return oldest === undefined ? 0 : oldest.atMs + MINUTE_MS - nowMs
  }

  take(nowMs: number): void {
    this.#asked.push({ atMs: nowMs, isCounted: true })
  }

  /** The service gives a unit back where it failed. The pause between two prepares stays the same. */
  giveBack(): void {
    const last = this.#asked.at(-1)
    if (last !== undefined) last.isCounted = false
  }
}
