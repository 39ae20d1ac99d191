/** Most public nodes answer a range of this many blocks. */
const FIRST_SIZE = 1_000
/** Only the last block ties a range to the chain, so it should not be longer than this. */
const LARGEST_SIZE = 200_000
/** After an answer that took longer, or holds more logs, ranges do not grow. */
const QUICK_MS = 1_500
const FEW_LOGS = 2_000
/** After an answer that took longer, or holds more logs, ranges shrink. */
const SLOW_MS = 5_000
const MANY_LOGS = 10_000
/** After this many answers a size that was refused is tried again. */
const RETRY_AFTER = 50

/** How many blocks to ask for at once: more while answers are quick and small, fewer when a node refuses. */
export class RangeSize {
  #size = FIRST_SIZE
  /** The smallest size that was refused, and how many answers came since. */
  #refused: { readonly size: number; answers: number } | undefined

  get blocks(): number {
    return this.#size
  }

  answered(blocks: number, logs: number, durationMs: number): void {
    if (this.#refused !== undefined) {
      this.#refused.answers += 1
      if (this.#refused.answers > RETRY_AFTER) this.#refused = undefined
    }
    if (durationMs > SLOW_MS || logs > MANY_LOGS) this.#set(blocks / 2)
    else if (blocks >= this.#size && durationMs <= QUICK_MS && logs <= FEW_LOGS) this.#set(this.#size * 2)
  }

  /** A node refused `blocks`, or did not answer them in time. */
  refused(blocks: number, suggested?: number): void {
    if (blocks > 1) this.#refused = { size: blocks, answers: 0 }
    this.#set(suggested ?? blocks / 2)
  }

  /** No answer came. The size may or may not be the reason. */
  failed(blocks: number): void {
    this.#set(Math.min(this.#size, blocks / 2))
  }

  #set(size: number): void {
    const most = this.#refused === undefined ? LARGEST_SIZE : this.#refused.size - 1
    this.#size = Math.max(1, Math.min(Math.floor(size), most))
  }
}
