import type { Log } from '@remit/engine/ports/log'
import type { BackfillProgress } from '@remit/engine/schema/health'

// What is told of a backfill, the first long reading of a chain: its progress while it runs (`BackfillMeter`), and what it will take
// (`planBackfill`, also for the doctor; `PlanLog` writes it to the log).

/** A backfill is shown only if more than this many blocks are missing. */
const SHOWN_FROM_BLOCKS = 100
/** The rate is measured over the last so many milliseconds. */
const WINDOW_MS = 30_000
/** The most positions that are kept for it: about two for each second, enough for a rate, however often the index moves. */
const MOST_SAMPLES = 64

/** Measures how far a backfill has come and how fast it is. */
export class BackfillMeter {
  readonly #fromBlock: number
  readonly #samples: { readonly atMs: number; readonly blockNumber: number }[] = []
  #blocksPerRequest: number | undefined
  /** The chain's head. */
  #toBlock = 0
  /** Whether a backfill runs: since more than SHOWN_FROM_BLOCKS were missing, until the head is reached. */
  #running = false

  /** @param fromBlock the first block of the index */
  constructor(fromBlock: number) {
    this.#fromBlock = fromBlock
  }

  /** Takes note of the index's tip and the chain's head. `atMs` may be of any clock, but always of the same. */
  seen(blockNumber: number, headNumber: number, atMs: number): void {
    this.#toBlock = headNumber
    const behind = headNumber - blockNumber
    // A new backfill begins: older samples would spoil its rate.
    if (!this.#running && behind > SHOWN_FROM_BLOCKS) this.#samples.length = 0
    this.#running = behind > (this.#running ? 0 : SHOWN_FROM_BLOCKS)
    const last = this.#samples.at(-1)
    if (last?.blockNumber === blockNumber) return
    this.#samples.push({ atMs, blockNumber })
    while (this.#isCrowded(atMs)) this.#samples.shift()
  }

  /** Notes how many blocks the next request asks for. */
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

  /** Whether the oldest sample is to be dropped. Two always stay, for a rate. */
  #isCrowded(atMs: number): boolean {
    const [first] = this.#samples
    if (first === undefined || this.#samples.length <= 2) return false
    return this.#samples.length > MOST_SAMPLES || atMs - first.atMs > WINDOW_MS
  }
}

/** What the first reading of a chain will take. */
export interface BackfillPlan {
  /** How many blocks are to be read. */
  readonly blocks: number
  readonly blocksPerRequest: number
  readonly requests: number
  /** `null` before it is known how long a request takes. */
  readonly seconds: number | null
}

/** Plans the reading of so many blocks, one range after the other. */
export function planBackfill(options: {
  blocks: number
  blocksPerRequest: number
  secondsPerRequest: number | null
}): BackfillPlan {
  const { blocks, blocksPerRequest, secondsPerRequest } = options
  const requests = Math.ceil(blocks / blocksPerRequest)
  const seconds = secondsPerRequest === null ? null : Math.ceil(requests * secondsPerRequest)
  return { blocks, blocksPerRequest, requests, seconds }
}

/** `22,100,000 blocks in 2,210 requests of 10,000, about 8 min` */
export function planText({ blocks, blocksPerRequest, requests, seconds }: BackfillPlan): string {
  const count = (value: number) => value.toLocaleString('en-US')
  const long = seconds === null ? '' : `, about ${duration(seconds)}`
  if (requests === 1) return `${count(blocks)} blocks in one request${long}`
  return `${count(blocks)} blocks in ${count(requests)} requests of ${count(blocksPerRequest)}${long}`
}

/** `45 s`, `8 min 3 s`, `3 h 12 min`, `4 days` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.round(minutes / 1_440)} days`
}

/** An index that lacks so many blocks or fewer only catches up: that is no first reading, and no plan is logged. */
const PLANNED_FROM_BLOCKS = 10_000
/** The source finds out how many blocks the node grants in one request. A size that stays for so many answers counts as found. */
const SETTLED_AFTER = 5

/** Logs what the first reading of a chain will take, twice: at its first answer, and once it is known how much the node grants at once. */
export class PlanLog {
  readonly #chainId: number
  readonly #log: Log
  readonly #now: () => number
  #blocksPerRequest = 0
  /** When requests of the present size began; `undefined` before the first answer. */
  #sizeSince: number | undefined
  /** Answers since then. */
  #answers = 0
  #isSettled = false

  constructor(options: { chainId: number; log: Log; now: () => number }) {
    this.#chainId = options.chainId
    this.#log = options.log
    this.#now = options.now
  }

  /** The source has answered: so many blocks are left, and the next request asks for so many. */
  answered(blocks: number, blocksPerRequest: number): void {
    if (blocks <= PLANNED_FROM_BLOCKS || this.#isSettled) return
    this.#answers = blocksPerRequest === this.#blocksPerRequest ? this.#answers + 1 : 0
    this.#blocksPerRequest = blocksPerRequest
    if (this.#sizeSince === undefined) this.#tell(blocks, null)
    else if (this.#answers >= SETTLED_AFTER) {
      this.#isSettled = true
      this.#tell(blocks, (this.#now() - this.#sizeSince) / 1_000 / this.#answers)
    }
    if (this.#answers === 0) this.#sizeSince = this.#now()
  }

  /** @param seconds for one request, with the writing of its rows */
  #tell(blocks: number, seconds: number | null): void {
    const plan = planBackfill({
      blocks,
      blocksPerRequest: this.#blocksPerRequest,
      secondsPerRequest: seconds,
    })
    const until = seconds === null ? ' if the node grants no more' : ''
    this.#log.info(`the past is read: ${planText(plan)}${until}`, { chainId: this.#chainId })
  }
}
