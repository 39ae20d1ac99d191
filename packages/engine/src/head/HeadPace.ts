import type { Head } from './blockHeader.ts'

/** Blocks of most chains come within these times. */
const SHORTEST_BLOCK_MS = 200
const LONGEST_BLOCK_MS = 15_000
/** The time between blocks is measured over this many blocks. */
const MEASURED_BLOCKS = 20
/** The factor by which the wait shrinks after a question that brought a new block, until one comes too soon. */
const SHORTER_WAIT = 0.99
/** The factor by which the wait for the next question grows after one that came too soon. */
const LONGER_WAIT = 1.2
/** How often the head is asked for while nobody calls. */
const IDLE_MS = 15_000
/** A head that is this many blocks late, and at least this long, stands still. */
const STILL_BLOCKS = 20
/** A fast chain's nodes may pause for some seconds, which is no fault. */
const SHORTEST_STILL_MS = 60_000
/** How long the first answer may take after a long rest. Until then an old head is normal. */
const WAKING_MS = 5_000

/**
 * When to ask for the head again: once for each block, soon after it is there, and seldom while nobody calls.
 *
 * About one poll in twenty comes too early; after each other poll, the next moves by 1 % of the block time. So there are no
 * more questions than blocks, and a head is seen within a fifth of that time.
 */
export class HeadPace {
  readonly #steadyMs: number
  readonly #isSteady: boolean
  readonly #idleAfterMs: number
  readonly #now: () => number
  readonly #heads: Pick<Head, 'number' | 'timestamp'>[] = []
  #touchedAt: number
  #wokenAt = Number.NEGATIVE_INFINITY

  /**
   * @param options.pollMs the time between questions, until the time between blocks is known
   * @param options.isSteady keeps that time, as for a chain whose blocks come on demand
   * @param options.idleAfterMs without a caller for so long, the chain is asked seldom
   * @param options.now a clock in milliseconds
   */
  constructor(options: { pollMs: number; isSteady: boolean; idleAfterMs: number; now?: () => number }) {
    this.#steadyMs = options.pollMs
    this.#isSteady = options.isSteady
    this.#idleAfterMs = options.idleAfterMs
    this.#now = options.now ?? (() => performance.now())
    this.#touchedAt = this.#now()
  }

  /** Takes note of a caller. Returns whether nobody had called for long. */
  touch(): boolean {
    const wasIdle = this.isIdle
    this.#touchedAt = this.#now()
    if (wasIdle) this.#wokenAt = this.#touchedAt
    return wasIdle
  }

  get isIdle(): boolean {
    return this.#now() - this.#touchedAt > this.#idleAfterMs
  }

  /** Takes note that the head has moved. */
  moved({ number, timestamp }: Pick<Head, 'number' | 'timestamp'>, isReorg: boolean): void {
    if (isReorg) this.#heads.length = 0
    this.#heads.push({ number, timestamp })
    while (number - (this.#heads[0]?.number ?? number) > MEASURED_BLOCKS) this.#heads.shift()
  }

  /** How far apart questions are at present: `awakeMs`, or longer while nobody calls and in the first seconds after that. */
  get usualMs(): number {
    const isWaking = this.#now() - this.#wokenAt < WAKING_MS
    return this.isIdle || isWaking ? Math.max(IDLE_MS, this.awakeMs) : this.awakeMs
  }

  /** The time between questions while somebody calls: that between blocks, where it is known. */
  get awakeMs(): number {
    const blockMs = this.#isSteady ? undefined : this.#blockMs
    if (blockMs === undefined) return this.#steadyMs
    return Math.min(LONGEST_BLOCK_MS, Math.max(SHORTEST_BLOCK_MS, blockMs))
  }

  /** A head that is older than this stands still: much longer than blocks take, and than pauses between questions. */
  get stillMs(): number {
    return Math.max(SHORTEST_STILL_MS, STILL_BLOCKS * (this.#blockMs ?? LONGEST_BLOCK_MS))
  }

  /** The time between blocks, as measured; `undefined` while it is not known. */
  get #blockMs(): number | undefined {
    const [first, last] = [this.#heads[0], this.#heads.at(-1)]
    if (first === undefined || last === undefined || last.number === first.number) return undefined
    return (1_000 * (last.timestamp - first.timestamp)) / (last.number - first.number)
  }

  /** How long to wait after a question. @param cameTooSoon it found the head that was known */
  nextMs(cameTooSoon: boolean): number {
    if (this.isIdle) return this.usualMs
    if (this.#isSteady) return this.#steadyMs
    return this.awakeMs * (cameTooSoon ? LONGER_WAIT : SHORTER_WAIT)
  }
}
