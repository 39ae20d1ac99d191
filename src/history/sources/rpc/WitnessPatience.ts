import type { Log } from '../../../core/ports/log.ts'
import { UpstreamError } from '../../../errors/chain.ts'

/** A node that is restarted is back by then, and a past that is read once can wait for it. */
export const WITNESS_PATIENCE_MS = 30_000

/**
 * How long final blocks wait for a second node to compare with, where there is one that does not answer: what
 * a liar hides comes in whenever the honest node has a moment's trouble otherwise, and stays.
 */
export class WitnessPatience {
  readonly #chainId: number
  readonly #log: Log
  readonly #now: () => number
  readonly #patienceMs: number
  #aloneSince: number | undefined
  #told = false

  constructor(options: { chainId: number; log: Log; now: () => number; patienceMs: number }) {
    this.#chainId = options.chainId
    this.#log = options.log
    this.#now = options.now
    this.#patienceMs = options.patienceMs
  }

  /** Two nodes were compared. */
  met(): void {
    if (this.#told) this.#log.info('two nodes are compared again', { chainId: this.#chainId })
    this.#aloneSince = undefined
    this.#told = false
  }

  /** There is nobody to compare with. Throws UpstreamError for as long as that may change. */
  alone(): void {
    this.#aloneSince ??= this.#now()
    if (this.#now() - this.#aloneSince < this.#patienceMs) {
      const cause = new Error('there is no second node to compare final blocks with at present')
      throw new UpstreamError(this.#chainId, { cause })
    }
    if (this.#told) return
    this.#told = true
    this.#log.warn('final blocks are read from one node alone: no other one answers', {
      chainId: this.#chainId,
    })
  }
}
