const MOST_HEADS = 64

/** Measures how long the oldest block that the index lacks has been known. */
export class Lateness {
  /** The heads that the index has not reached, oldest first, with the time of their first sighting. */
  readonly #missing: { readonly number: number; readonly atMs: number }[] = []

  /** Takes note of the index's tip and the chain's head. `atMs` may be of any clock, but always of the same. */
  seen(blockNumber: number, headNumber: number, atMs: number): void {
    while ((this.#missing[0]?.number ?? Number.POSITIVE_INFINITY) <= blockNumber) this.#missing.shift()
    // The chain was rolled back: blocks that are gone are not missing.
    while ((this.#missing.at(-1)?.number ?? 0) > headNumber) this.#missing.pop()
    const newest = this.#missing.at(-1)?.number ?? blockNumber
    if (headNumber <= newest) return
    // Only the oldest one counts, so a newer one can be dropped when there are many.
    if (this.#missing.length >= MOST_HEADS) this.#missing.splice(1, 1)
    this.#missing.push({ number: headNumber, atMs })
  }

  /** How long ago the oldest missing head was first seen; 0 if none is missing. */
  ms(nowMs: number): number {
    const [oldest] = this.#missing
    return oldest === undefined ? 0 : nowMs - oldest.atMs
  }
}
