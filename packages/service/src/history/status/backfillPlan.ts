import type { Log } from '@remit/engine/ports/log'

/** What the first reading of a chain will take. */
export interface BackfillPlan {
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

/** An index with no more blocks to read only catches up. That is no first reading, and no plan is logged. */
const FEW_BLOCKS = 10_000
/** A size of ranges that stays for so many answers is the one that the node grants. */
const SETTLED_AFTER = 5

/** Logs what the first reading of a chain will take: before it begins, and once it is known how much the node grants. */
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
    if (blocks <= FEW_BLOCKS || this.#isSettled) return
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
