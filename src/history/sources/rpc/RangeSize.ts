/** So many blocks at first: most public nodes answer them. */
const FIRST_SIZE = 1_000
/** A range of a quiet contract is never worth more: its edges are tied to the chain by its last block only. */
const LARGEST_SIZE = 200_000
/** An answer that took longer or is longer than this is as large as it should be. */
const QUICK_MS = 1_500
const FEW_LOGS = 2_000
/** An answer like this is larger than it should be. */
const SLOW_MS = 5_000
export const MANY_LOGS = 10_000
/** After a refusal, so many ranges go well before a larger one than was refused is tried again. */
const RETRY_AFTER = 50

/** How many blocks to ask for at once: more while answers are quick and small, fewer where a node refuses. */
export class RangeSize {
  #size = FIRST_SIZE
  /** The smallest size that was refused, and how many answers there were since. */
  #refused: { readonly size: number; answers: number } | undefined

  get blocks(): number {
    return this.#size
  }

  /** An answer to a range of `blocks` came. */
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

  /** Silence, whose reason may or may not have been the size. */
  failed(blocks: number): void {
    this.#set(Math.min(this.#size, blocks / 2))
  }

  #set(size: number): void {
    const most = this.#refused === undefined ? LARGEST_SIZE : this.#refused.size - 1
    this.#size = Math.max(1, Math.min(Math.floor(size), most))
  }
}
