import type { Log } from '../../core/ports/log.ts'
import { planBackfill, planText } from './backfillPlan.ts'

/** Fewer blocks than these are no first reading. */
const FEW_BLOCKS = 10_000
/** A size of ranges that stays for so many answers is the one that the node grants. */
const SETTLED_AFTER = 5

/** Logs what the first reading of a chain will take: before it begins, and once it is known how much the node grants. */
export class PlanLog {
  readonly #chainId: number
  readonly #log: Log
  readonly #now: () => number
  #begunAt: number | undefined
  #size = 0
  #answers = 0
  #settled = false

  constructor(options: { chainId: number; log: Log; now: () => number }) {
    this.#chainId = options.chainId
    this.#log = options.log
    this.#now = options.now
  }

  /** The source has answered: so many blocks are left, and the next request asks for so many. */
  answered(blocks: number, blocksPerRequest: number): void {
    if (blocks <= FEW_BLOCKS || this.#settled) return
    this.#answers = blocksPerRequest === this.#size ? this.#answers + 1 : 0
    this.#size = blocksPerRequest
    if (this.#begunAt === undefined) this.#tell(blocks, null)
    else if (this.#answers >= SETTLED_AFTER) {
      this.#settled = true
      this.#tell(blocks, (this.#now() - this.#begunAt) / 1_000 / this.#answers)
    }
    if (this.#answers === 0) this.#begunAt = this.#now()
  }

  /** @param seconds for one request, with the writing of its rows */
  #tell(blocks: number, seconds: number | null): void {
    const plan = planBackfill({ blocks, blocksPerRequest: this.#size, secondsPerRequest: seconds })
    const until = seconds === null ? ' if the node grants no more' : ''
    this.#log.info(`the past is read: ${planText(plan)}${until}`, { chainId: this.#chainId })
  }
}
