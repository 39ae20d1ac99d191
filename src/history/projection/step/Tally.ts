/** Counts by key, added up before they are written. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys()
  }

  /** What has changed, without what cancelled out. */
  changes(): { key: string; count: number }[] {
    return [...this.#counts].filter(([, count]) => count !== 0).map(([key, count]) => ({ key, count }))
  }
}
