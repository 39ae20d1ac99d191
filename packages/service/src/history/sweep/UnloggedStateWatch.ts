import type { ChainsPort } from '@remit/engine/ports/chains'
import type { Lease, ProjectionReader, WatchStore } from '../projection.ts'

/** How often the state that no log tells is looked at. */
const EVERY_MS = 60_000
/** Requests of one look: the tokens, and the protocol's settings. */
export const WATCH_REQUESTS = 2

interface WatchOptions {
  readonly chainId: number
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly reader: Pick<ProjectionReader, 'snapshot'>
  readonly store: WatchStore
  readonly now?: () => number
}

/**
 * Looks at what no log tells: which tokens are paused, and how far remit is. The sweep calls it, once a minute; the store makes
 * events of what has changed.
 */
export class UnloggedStateWatch {
  readonly #options: Required<WatchOptions>
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param options.now a clock in milliseconds */
  constructor(options: WatchOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** Whether it is time to look again. */
  get isDue(): boolean {
    return this.#options.now() - this.#lookedAt >= EVERY_MS
  }

  /** Throws LeaseLostError, BlockGoneError and the errors of the node and the store. */
  async look(lease: Lease, signal: AbortSignal): Promise<void> {
    // Before the look: one that fails is made again in a minute, and does not keep the sweep from its work.
    this.#lookedAt = this.#options.now()
    const found = await this.#options.reader.snapshot(this.#options.chainId, (queries) => queries.tokens())
    if (found === undefined) return
    const { block } = found.indexState
    await this.#options.chains.withView(this.#options.chainId, { block, signal }, async (view) => {
      const [tokens, { nextUncheckedDay }] = await Promise.all([
        view.read.tokens(found.rows),
        view.read.protocol(),
      ])
      await this.#options.store.logChanges(lease, block, { tokens, nextUncheckedDay, today: view.today })
    })
  }
}
