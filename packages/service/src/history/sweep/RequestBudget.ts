const HOUR_MS = 3_600_000

/** Limits background work: how many requests may be made in any hour, by an exact record of those that were made. */
export class RequestBudget {
  readonly perHour: number
  readonly #now: () => number
  #spent: { readonly at: number; readonly requests: number }[] = []

  /** @param now a clock in milliseconds */
  constructor(perHour: number, now: () => number = () => performance.now()) {
    this.perHour = perHour
    this.#now = now
  }

  spend(requests: number): void {
    this.#spent.push({ at: this.#now(), requests })
  }

  /** How many were made in the last hour. */
  spent(): number {
    this.#forget()
    return this.#spent.reduce((sum, { requests }) => sum + requests, 0)
  }

  /** How long it takes until so many more requests may be made; 0 if that is at once, `undefined` if never. */
  waitMs(requests: number): number | undefined {
    if (requests > this.perHour) return undefined
    this.#forget()
    // So many of the oldest requests must be more than an hour ago.
    let over = this.spent() + requests - this.perHour
    for (const { at, requests: made } of this.#spent) {
      if (over <= 0) return 0
      over -= made
      if (over <= 0) return Math.max(1, at + HOUR_MS - this.#now())
    }
    return 0
  }

  #forget(): void {
    const since = this.#now() - HOUR_MS
    this.#spent = this.#spent.filter(({ at }) => at > since)
  }
}
