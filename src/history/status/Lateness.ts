const MOST_HEADS = 64

/** Tells how long the index has been owing the blocks that it has not got. */
export class Lateness {
  /** Heads that the index has not reached, oldest first, with when they were first seen. */
  readonly #owed: { readonly number: number; readonly atMs: number }[] = []

  /** Takes down where the index stands, and the chain's head, at a time of any one clock. */
  seen(blockNumber: number, headNumber: number, atMs: number): void {
    while ((this.#owed[0]?.number ?? Number.POSITIVE_INFINITY) <= blockNumber) this.#owed.shift()
    // Rolled back: what is not there any more is owed by nobody.
    while ((this.#owed.at(-1)?.number ?? 0) > headNumber) this.#owed.pop()
    const newest = this.#owed.at(-1)?.number ?? blockNumber
    if (headNumber <= newest) return
    // Only the oldest one counts; where there are many, a newer one can be forgotten.
    if (this.#owed.length >= MOST_HEADS) this.#owed.splice(1, 1)
    this.#owed.push({ number: headNumber, atMs })
  }

  /** How long ago the oldest head was seen that the index has not reached; 0 where it owes nothing. */
  ms(nowMs: number): number {
    const [oldest] = this.#owed
    return oldest === undefined ? 0 : nowMs - oldest.atMs
  }
}
