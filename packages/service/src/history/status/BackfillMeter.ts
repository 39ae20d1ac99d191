import type { BackfillProgress } from '@remit/engine/schema/indexHealth'

/** A backfill is shown only if more than this many blocks are missing. */
const FEW_BLOCKS = 100
/** The rate is measured over this time. */
const WINDOW_MS = 30_000
/** About two a second of the window: enough for a rate, whatever the size of the ranges. */
const MOST_SAMPLES = 64

/** Measures how far a backfill, the first long reading of a chain, has come and how fast it is. */
export class BackfillMeter {
  readonly #fromBlock: number
  readonly #samples: { readonly atMs: number; readonly blockNumber: number }[] = []
  #blocksPerRequest: number | undefined
  #toBlock = 0
  #running = false

  /** @param fromBlock the first block of the index */
  constructor(fromBlock: number) {
    this.#fromBlock = fromBlock
  }

  /** Takes note of the index's tip and the chain's head. `atMs` may be of any clock, but always of the same. */
  seen(blockNumber: number, headNumber: number, atMs: number): void {
    this.#toBlock = headNumber
    const behind = headNumber - blockNumber
    if (!this.#running && behind > FEW_BLOCKS) this.#samples.length = 0
    this.#running = behind > (this.#running ? 0 : FEW_BLOCKS)
    const last = this.#samples.at(-1)
    if (last?.blockNumber === blockNumber) return
    this.#samples.push({ atMs, blockNumber })
    while (this.#isCrowded(atMs)) this.#samples.shift()
  }

  /** The next request asks for so many blocks. */
  asks(blocksPerRequest: number): void {
    this.#blocksPerRequest = blocksPerRequest
  }

  /** `null` while the index is at the head or near it. */
  progress(): BackfillProgress | null {
    const [first] = this.#samples
    const last = this.#samples.at(-1)
    if (!this.#running || first === undefined || last === undefined) return null
    const seconds = (last.atMs - first.atMs) / 1_000
    const blocksPerSecond = seconds > 0 ? (last.blockNumber - first.blockNumber) / seconds : 0
    const all = this.#toBlock - this.#fromBlock + 1
    const left = this.#toBlock - last.blockNumber
    const size = this.#blocksPerRequest
    const done = Math.max(0, last.blockNumber - this.#fromBlock + 1)
    return {
      fromBlock: this.#fromBlock,
      toBlock: this.#toBlock,
      blockNumber: last.blockNumber,
      // Rounded down, so that 100 is shown only at the end.
      percent: Math.floor((1_000 * done) / all) / 10,
      blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
      blocksPerRequest: size ?? null,
      requestsLeft: size === undefined ? null : Math.ceil(left / size),
      secondsLeft: blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null,
    }
  }

  #isCrowded(atMs: number): boolean {
    const [first] = this.#samples
    if (first === undefined || this.#samples.length <= 2) return false
    return this.#samples.length > MOST_SAMPLES || atMs - first.atMs > WINDOW_MS
  }
}
