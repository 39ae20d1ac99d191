import type { Quota } from '../errors/access.ts'

/**
 * Where the limits stand that one HTTP request has taken from, or was refused by.
 *
 * It goes with the request and not with its answer, since errors tell it too. A batch takes more than once: what
 * was noted last counts.
 */
export class Spending {
  readonly #quotas = new Map<string, Quota>()

  note(quotas: readonly Quota[]): void {
    for (const quota of quotas) this.#quotas.set(quota.name, quota)
  }

  /** One for each limit. */
  get quotas(): Quota[] {
    return [...this.#quotas.values()]
  }
}
